// The roofs of a GPU over measured layers: what they would allow, and what of that is not known.

/** @typedef {[name: string, bandwidth: number, tensor: Record<string, number>, vector: Record<string, number>]} GpuPeaks Bandwidth in 10^9 bytes a second, peaks in 10^12 operations a second. */
/** @typedef {{ layer: number, x: number, y: number, flops: number, ms: number, kind: string[] | null }} RoofPoint */
/** @typedef {{ type: string, peak: number, limit: number }} FoundRoof */

/**
 * The peak that applies to a kind of operations, null where none is known of this GPU.
 * @param {GpuPeaks} gpu
 * @param {string[] | null} kind Types of products, of which the first known one counts; null for the CUDA cores.
 * @returns {[type: string, peak: number] | null}
 */
export function peakOf([, , tensor, vector], kind) {
  for (const type of kind ?? ["FP32"]) {
    const peak = (kind && tensor[type]) || vector[type];
    if (peak) return [kind ? type : "CUDA cores FP32", peak];
  }
  return null;
}

/**
 * The roof over a point, null where it is not known.
 * @param {GpuPeaks} gpu
 * @param {RoofPoint} point
 * @returns {FoundRoof | null}
 */
export function roofOf(gpu, { x, kind }) {
  const found = peakOf(gpu, kind);
  return found && { type: found[0], peak: found[1], limit: Math.min(found[1], (x * gpu[1]) / 1e3) };
}

/**
 * The shortest times that the roofs allow, over all points of which the roof is known.
 * @param {GpuPeaks} gpu
 * @param {RoofPoint[]} points
 * @returns {{ known: number, above: number, ms: number, roofMs: number, memory: number, missing: string[] }}
 */
export function underRoofs(gpu, points) {
  const sums = { known: 0, above: 0, ms: 0, roofMs: 0, memory: 0 };
  const missing = new Set();
  for (const point of points) {
    const roof = roofOf(gpu, point);
    if (!roof) {
      missing.add((point.kind ?? ["FP32"]).at(-1));
      continue;
    }
    sums.known += 1;
    sums.ms += point.ms;
    sums.roofMs += point.flops / (roof.limit * 1e9);
    if (point.y > roof.limit) sums.above += 1;
    if (roof.limit < roof.peak) sums.memory += 1;
  }
  return { ...sums, missing: [...missing].sort() };
}

/**
 * The powers of ten, and their doubles and fives where there are few of them, in a range.
 * @param {number} low
 * @param {number} high
 * @returns {number[]}
 */
export function decades(low, high) {
  const steps = Math.log10(high / low) < 2.5 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) for (const step of steps) found.push(step * 10 ** power);
  return found.filter((value) => value >= low && value <= high);
}
