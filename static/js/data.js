// The report's data, unpacked from the page.

const SEVERITIES = ["error", "warning", "info"];

/** Return the bytes of a packed script element as text. */
async function unpack(id) {
  const packed = atob(byId(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Turn columns into records; a column is its values, or its different values and which of them each record has. */
function fromColumns({ count, columns }) {
  const records = Array.from({ length: count }, () => ({}));
  for (const [key, values, which] of columns) {
    for (let at = 0; at < count; at += 1) {
      const value = values[which ? which[at] : at];
      if (value != null) records[at][key] = value;
    }
  }
  return records;
}

/** Load what the files say of each layer: a line of JSON for each. Few ever look at it, so it is not unpacked before. */
function loadAttributes(data) {
  data.loading ??= unpack("trexreport-attributes").then((text) => (data.attributes = text.split("\n")));
  return data.loading;
}

function attributesOf(data, layer) {
  return JSON.parse(data.attributes[layer.index]);
}

/** Fill in what the data leaves out to be small, and what searching needs. */
function completed(data) {
  data.layers = fromColumns(data.layers);
  data.tensors = fromColumns(data.tensors);
  data.layers.forEach((layer, index) => {
    layer.index = index;
    layer.name ??= "";
    layer.key ??= layer.name;
    for (const name of ["type", "precision", "out", "tactic"]) layer[name] ??= "";
    layer.subtype ??= layer.type;
    for (const name of ["onnx", "ops", "inputs", "outputs"]) layer[name] ??= [];
    layer.findings = [];
  });
  for (const finding of data.findings) {
    for (const [layers, gain, message] of finding.places) {
      const found = { finding, gain, layers, message: finding.messages[message] ?? finding.title };
      for (const index of layers) data.layers[index].findings.push(found);
    }
  }
  data.totalMs = data.layers.reduce((sum, layer) => sum + (layer.ms ?? 0), 0);
  for (const tensor of data.tensors) {
    tensor.name ??= "";
    tensor.from ??= [];
    tensor.to ??= [];
    tensor.dims ??= [];
  }
  // Backwards, so that of keys that differ only in what no address can hold the first layer is found.
  data.byKey = new Map(data.layers.map((layer) => [linkKey(layer.key), layer]).reverse());
  return data;
}

/** A key as an address can hold it: halves of characters become question marks. */
function linkKey(key) {
  return key.replace(/\p{Surrogate}/gu, "?");
}

/** All texts of a layer in which a plain word is looked for, in lower case. */
function haystack(data, layer) {
  if (layer.haystack === undefined) {
    const tensors = [...layer.inputs, ...layer.outputs].map(([tensor]) => data.tensors[tensor].name);
    layer.haystack = [layer.name, layer.type, layer.subtype, layer.tactic, ...layer.onnx, ...layer.ops, ...tensors]
      .join("\n")
      .toLowerCase();
  }
  return layer.haystack;
}

/** The different findings of a layer, the gravest first. */
function findingsOf(layer) {
  const found = [...new Set(layer.findings.map(({ finding }) => finding))];
  return found.sort((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
}

function findingLink(finding) {
  return `#finding-${finding.id}`;
}

function layerLink(layer) {
  return `#layer=${encodeURIComponent(linkKey(layer.key))}`;
}
