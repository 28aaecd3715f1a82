// The filter language: "type:Reformat time>1% precision:fp32 -noop /conv[0-9]+/".

// What tables and charts call a property that a layer does not have; links from them look for it.
const stated = (value) => value || "not stated";

const TEXT_FIELDS = {
  name: (layer) => [layer.name],
  type: (layer) => [stated(layer.type), layer.subtype],
  precision: (layer) => [stated(layer.precision)],
  out: (layer) => [stated(layer.out)],
  tactic: (layer) => [stated(layer.tactic)],
  onnx: (layer) => layer.onnx,
  op: (layer) => layer.ops,
  bound: (layer) => [layer.bound ?? ""],
  stream: (layer) => [layer.stream == null ? "" : String(layer.stream)],
  finding: (layer) => layer.findings.flatMap(({ finding }) => [finding.id, finding.severity, finding.name]),
  tensor: (layer, data) => [...layer.inputs, ...layer.outputs].map(([index]) => data.tensors[index].name),
};

const NUMBER_FIELDS = {
  time: (layer) => layer.ms,
  share: (layer) => layer.share,
  moved: (layer) => layer.moved,
  weights: (layer) => layer.weights,
  macs: (layer) => layer.work?.macs,
  tflops: (layer) => layer.work?.tflops,
  gbs: (layer) => layer.gbs,
  flops: (layer) => layer.flops,
  reached: (layer) => layer.reached,
  headroom: (layer) => layer.headroom,
  index: (layer) => layer.index,
};

const EXACT = new Set(["precision", "out", "stream"]);
const FACTORS = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Cut a query at blanks, keeping together what stands in quotes (a quote in them is doubled) or slashes. */
function cutQuery(text) {
  return text.match(/-?\/(?:\\.|[^/])+\/(?=\s|$)|(?:[^\s"]|"(?:[^"]|"")*"?)+/g) ?? [];
}

/** Return a function that tells whether a layer fits; throws an Error that says what is wrong. */
function compileQuery(text, data) {
  const tests = cutQuery(text).map((term) => compileTerm(term, data));
  return (layer) => tests.every((test) => test(layer));
}

function compileTerm(term, data) {
  if (term.startsWith("-") && term.length > 1) {
    const test = compileTerm(term.slice(1), data);
    return (layer) => !test(layer);
  }
  if (/^\/.+\/$/s.test(term)) {
    let pattern;
    try {
      pattern = new RegExp(term.slice(1, -1), "i");
    } catch {
      throw new Error(`${term} is no regular expression`);
    }
    return (layer) => pattern.test(layer.name);
  }
  const comparison = term.match(/^(\w+)(<=|>=|<|>)(.*)$/s);
  if (comparison && Object.hasOwn(NUMBER_FIELDS, comparison[1])) return compileComparison(comparison);
  const field = term.match(/^(\w+):(.+)$/s);
  if (field && Object.hasOwn(TEXT_FIELDS, field[1])) return compileField(field[1], field[2], data);
  const word = unquoted(term).toLowerCase();
  return (layer) => haystack(data, layer).includes(word);
}

function compileComparison([term, name, operator, text]) {
  const found = text.match(/^(-?[\d.]+)([kKMGT])?(%|ms)?$/);
  if (!found || Number.isNaN(Number(found[1]))) throw new Error(`${term}: a number is missing, as in ${name}>1${name === "time" ? "%" : "M"}`);
  const limit = Number(found[1]) * (FACTORS[found[2]] ?? 1);
  const value = found[3] === "%" ? NUMBER_FIELDS.share : NUMBER_FIELDS[name];
  const compare = {
    "<": (left) => left < limit,
    ">": (left) => left > limit,
    "<=": (left) => left <= limit,
    ">=": (left) => left >= limit,
  }[operator];
  return (layer) => {
    const left = value(layer);
    return left != null && compare(left);
  };
}

function compileField(name, text, data) {
  const quoted = /^".*"?$/s.test(text);
  const wanted = quoted ? [unquoted(text).toLowerCase()] : text.toLowerCase().split(",").filter(Boolean);
  const exact = quoted || EXACT.has(name);
  if (name === "finding" && text === "*") return (layer) => layer.findings.length > 0;
  return (layer) =>
    TEXT_FIELDS[name](layer, data).some((value) => {
      const lowered = value.toLowerCase();
      return wanted.some((each) => (exact ? lowered === each : lowered.includes(each)));
    });
}

function unquoted(text) {
  return text.replace(/^"|"$/g, "").replaceAll('""', '"');
}

function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
