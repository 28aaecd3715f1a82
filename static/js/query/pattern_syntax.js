// The syntax of the regular expressions of pattern.js: that of JavaScript without what needs backtracking.

/**
 * @typedef {{ ranges: number[][], negated: boolean }} Item Of a set of characters.
 * @typedef {{ kind: "set", items: Item[], negated: boolean }} CharacterSet
 * @typedef {{ kind: "assert", sign: string }} Assertion
 * @typedef {{ kind: "sequence" | "choice", parts: Tree[] }} Parts
 * @typedef {{ kind: "repeat", part: Tree, min: number, max: number }} Repeat
 * @typedef {CharacterSet | Assertion | Parts | Repeat} Tree
 */

const MAX_DEPTH = 50;
/** Ranges of code points; as in JavaScript, digits and letters are those of ASCII. */
/** @type {Record<string, number[][]>} */
const CLASSES = {
  d: [[48, 57]],
  w: [[48, 57], [65, 90], [95, 95], [97, 122]],
  s: [[9, 13], [32, 32], [160, 160]],
};
const LINE_ENDS = [[10, 10], [13, 13], [0x2028, 0x2029]];
/** @type {Record<string, number>} */
const CONTROLS = { t: 9, n: 10, v: 11, f: 12, r: 13 };

export const NOT_SUPPORTED = "references, lookarounds and flags are not supported";
export const TOO_LONG = "the expression is too long";
export const FAULTY = "not a regular expression";

/** Reads an expression, from the outermost choice to single characters. */
export class Parser {
  /** @param {string} source */
  constructor(source) {
    this.rest = [...source];
    this.at = 0;
    this.depth = 0;
  }

  /** @returns {Tree} */
  whole() {
    const tree = this.choice();
    if (this.at < this.rest.length) throw new Error(FAULTY);
    return tree;
  }

  /** @param {string} text */
  take(text) {
    const found = this.rest.slice(this.at, this.at + text.length).join("") === text;
    if (found) this.at += text.length;
    return found;
  }

  /** @returns {string} */
  one() {
    if (this.at >= this.rest.length) throw new Error(FAULTY);
    return this.rest[this.at++];
  }

  /** @returns {Tree} */
  choice() {
    /** @type {Tree[]} */
    const parts = [];
    do {
      /** @type {Tree[]} */
      const sequence = [];
      while (this.at < this.rest.length && !"|)".includes(this.rest[this.at])) sequence.push(this.repeated());
      parts.push({ kind: "sequence", parts: sequence });
    } while (this.take("|"));
    return parts.length === 1 ? parts[0] : { kind: "choice", parts };
  }

  /** @returns {Tree} */
  repeated() {
    const part = this.single();
    const limits = this.limits();
    if (!limits) return part;
    if (part.kind === "assert" || limits[0] > limits[1]) throw new Error(FAULTY);
    // What is matched first does not matter.
    this.take("?");
    if (this.limits()) throw new Error(FAULTY);
    return { kind: "repeat", part, min: limits[0], max: limits[1] };
  }

  /** @returns {number[] | null} */
  limits() {
    if (this.take("*")) return [0, Infinity];
    if (this.take("+")) return [1, Infinity];
    if (this.take("?")) return [0, 1];
    const found = this.rest.slice(this.at, this.at + 12).join("").match(/^\{([0-9]{1,4})(,([0-9]{0,4}))?\}/);
    if (!found) return null;
    this.at += found[0].length;
    return [Number(found[1]), found[2] ? Number(found[3] || Infinity) : Number(found[1])];
  }

  /** @returns {Tree} */
  single() {
    const character = this.one();
    if (character === "(") return this.group();
    if (character === "[") return this.set();
    if (character === ".") return { kind: "set", items: [{ ranges: LINE_ENDS, negated: false }], negated: true };
    if (character === "^" || character === "$") return { kind: "assert", sign: character };
    if ("*+?".includes(character)) throw new Error(FAULTY);
    if (character !== "\\") return literal(character);
    if (this.take("b")) return { kind: "assert", sign: "b" };
    if (this.take("B")) return { kind: "assert", sign: "B" };
    return { kind: "set", items: [this.escaped()], negated: false };
  }

  /** @returns {Tree} */
  group() {
    if (this.take("?") && !this.take(":")) throw new Error(NOT_SUPPORTED);
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new Error(TOO_LONG);
    const tree = this.choice();
    this.depth -= 1;
    if (!this.take(")")) throw new Error(FAULTY);
    return tree;
  }

  /** @returns {CharacterSet} */
  set() {
    const negated = this.take("^");
    /** @type {Item[]} */
    const items = [];
    while (!this.take("]")) {
      const first = this.member();
      const isRange = this.rest[this.at] === "-" && this.rest[this.at + 1] !== "]";
      if (!isRange) {
        items.push(first);
        continue;
      }
      this.take("-");
      const low = codeOf(first);
      const high = codeOf(this.member());
      if (low > high) throw new Error(FAULTY);
      items.push({ ranges: [[low, high]], negated: false });
    }
    return { kind: "set", items, negated };
  }

  /** @returns {Item} */
  member() {
    const character = this.one();
    return character === "\\" ? this.escaped() : literal(character).items[0];
  }

  /** @returns {Item} */
  escaped() {
    const character = this.one();
    const ranges = CLASSES[character.toLowerCase()];
    if (ranges) return { ranges, negated: character !== character.toLowerCase() };
    if (Object.hasOwn(CONTROLS, character)) return exactly(CONTROLS[character]);
    if (character === "x" || character === "u") return exactly(this.hexadecimal(character === "x" ? 2 : 4));
    if (/[0-9A-Za-z]/.test(character)) throw new Error(NOT_SUPPORTED);
    return literal(character).items[0];
  }

  /** @param {number} digits */
  hexadecimal(digits) {
    const text = this.rest.slice(this.at, this.at + digits).join("");
    if (text.length < digits || !/^[0-9A-Fa-f]+$/.test(text)) throw new Error(FAULTY);
    this.at += digits;
    return parseInt(text, 16);
  }
}

/**
 * @param {number} code
 * @returns {Item}
 */
const exactly = (code) => ({ ranges: [[code, code]], negated: false });

/**
 * @param {string} character
 * @returns {CharacterSet}
 */
const literal = (character) => ({ kind: "set", items: [exactly(/** @type {number} */ (character.codePointAt(0)))], negated: false });

/** @param {Item} item */
function codeOf({ ranges, negated }) {
  if (negated || ranges.length > 1 || ranges[0][0] !== ranges[0][1]) throw new Error(FAULTY);
  return ranges[0][0];
}
