// Regular expressions in time linear in the text (Thompson, 1968): one in a link must not stop the page.
// renderer/graph/pattern.py does the same; tests/pattern_vectors.json holds both to it.

import { Parser, TOO_LONG } from "./pattern_syntax.js";

/**
 * @typedef {import("./pattern_syntax.js").Tree} Tree
 * @typedef {import("./pattern_syntax.js").CharacterSet} CharacterSet
 * @typedef {import("./pattern_syntax.js").Assertion} Assertion
 * @typedef {import("./pattern_syntax.js").Repeat} Repeat
 * @typedef {{ tree: Tree | null, next: number[] }} Step
 * @typedef {{ steps: number[], before: string, moves: Map<string, Position | null> }} Position
 */

/** Each character of a text is tried against at most this number of steps. */
const MAX_STEPS = 300;
/** Positions that are kept for the next text. */
const MAX_POSITIONS = 1000;

/**
 * Return a function that returns whether a text contains what an expression describes, in either case.
 * @param {string} source
 * @returns {(text: string) => boolean}
 * @throws {Error} The expression is faulty, uses what is not supported, or is too long.
 */
export function compilePattern(source) {
  const program = new Program(new Parser(source).whole());
  return (text) => program.isIn(text);
}

/** The steps of an expression, and the positions in it that texts have led to. */
class Program {
  /** @param {Tree} tree */
  constructor(tree) {
    /** @type {Step[]} */
    this.steps = [];
    this.end = this.add(null, []);
    this.first = this.build(tree, this.end);
    /** @type {Map<string, Position>} */
    this.positions = new Map();
  }

  /**
   * @param {CharacterSet | Assertion | null} tree
   * @param {number[]} next
   */
  add(tree, next) {
    if (this.steps.length >= MAX_STEPS) throw new Error(TOO_LONG);
    return this.steps.push({ tree, next }) - 1;
  }

  /**
   * Add the steps of a part that comes before others.
   * @param {Tree} tree
   * @param {number} next
   * @returns {number}
   */
  build(tree, next) {
    if (tree.kind === "set" || tree.kind === "assert") return this.add(tree, [next]);
    if (tree.kind === "repeat") return this.repeat(tree, next);
    if (tree.kind === "choice") return this.add(null, tree.parts.map((part) => this.build(part, next)));
    return tree.parts.reduceRight((behind, part) => this.build(part, behind), next);
  }

  /**
   * @param {Repeat} tree
   * @param {number} next
   */
  repeat({ part, min, max }, next) {
    let first = next;
    if (max === Infinity) {
      first = this.add(null, [next]);
      this.steps[first].next.push(this.build(part, first));
    } else {
      for (let count = min; count < max; count += 1) first = this.add(null, [this.build(part, first), next]);
    }
    for (let count = 0; count < min; count += 1) {
      const behind = first;
      first = this.build(part, behind);
      // A part without steps is nothing, however often.
      if (first === behind) break;
    }
    return first;
  }

  /** @param {string} text */
  isIn(text) {
    let position = this.position([], "");
    for (const character of text) {
      let next = position.moves.get(character);
      if (next === undefined) {
        next = this.move(position, character);
        position.moves.set(character, next);
      }
      if (!next) return true;
      position = next;
    }
    return this.reached(position, "").has(this.end);
  }

  /**
   * Return where a character leads; null at the end of the expression.
   * @param {Position} position
   * @param {string} character
   */
  move(position, character) {
    const reached = this.reached(position, character);
    if (reached.has(this.end)) return null;
    const forms = [character, character.toLowerCase(), character.toUpperCase()].filter((form) => [...form].length === 1);
    const codes = forms.map((form) => /** @type {number} */ (form.codePointAt(0)));
    /** @type {Set<number>} */
    const next = new Set();
    for (const index of reached) {
      const { tree, next: [behind] } = this.steps[index];
      if (tree?.kind === "set" && contains(tree, codes)) next.add(behind);
    }
    return this.position([...next].sort((left, right) => left - right), character);
  }

  /**
   * @param {number[]} steps
   * @param {string} before
   * @returns {Position}
   */
  position(steps, before) {
    const kind = before === "" ? "" : isWord(before) ? "w" : ".";
    const key = `${kind}${steps.join()}`;
    let found = this.positions.get(key);
    if (!found) {
      if (this.positions.size >= MAX_POSITIONS) this.positions.clear();
      found = { steps, before: kind, moves: new Map() };
      this.positions.set(key, found);
    }
    return found;
  }

  /**
   * Return the steps at a position before a character, or before the end of the text.
   * @param {Position} position
   * @param {string} after
   */
  reached({ steps, before }, after) {
    const isBoundary = (before === "w") !== isWord(after);
    /** @type {Record<string, boolean>} */
    const holds = { "^": before === "", "$": after === "", b: isBoundary, B: !isBoundary };
    const waiting = [...steps, this.first];
    const found = new Set(waiting);
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const { tree, next } = this.steps[index];
      if (tree && !(tree.kind === "assert" && holds[tree.sign])) continue;
      for (const each of next) {
        if (!found.has(each)) {
          found.add(each);
          waiting.push(each);
        }
      }
    }
    return found;
  }
}

/** @param {string} character */
const isWord = (character) => /^\w$/.test(character);

/**
 * @param {CharacterSet} set
 * @param {number[]} codes
 */
function contains({ items, negated }, codes) {
  const found = items.some((item) => codes.some((code) => item.ranges.some(([low, high]) => low <= code && code <= high)) !== item.negated);
  return found !== negated;
}
