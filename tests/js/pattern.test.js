// Regular expressions: what fits, and how long that takes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { compilePattern } from "../../static/js/query/pattern.js";
import { FAULTY, NOT_SUPPORTED, TOO_LONG } from "../../static/js/query/pattern_syntax.js";
import { splitQuery } from "../../static/js/query/query.js";

const VECTORS = JSON.parse(readFileSync(new URL("../pattern_vectors.json", import.meta.url), "utf8"));

test("patterns fit as the shared vectors say", () => {
  assert.ok(VECTORS.fits.length > 30);
  for (const [pattern, fitting, others] of VECTORS.fits) {
    const fits = compilePattern(pattern);
    assert.deepEqual([...fitting, ...others].filter(fits), fitting, pattern);
  }
});

test("patterns fit as JavaScript's own do", () => {
  // Those would not end on long texts, and count two characters where Unicode has one.
  const isEasy = (text) => text.length < 20 && [...text].length === text.length;
  for (const [pattern, fitting, others] of VECTORS.fits) {
    const texts = [...fitting, ...others].filter(isEasy);
    const expected = new RegExp(pattern, "i");
    assert.deepEqual(texts.filter(compilePattern(pattern)), texts.filter((text) => expected.test(text)), pattern);
  }
});

for (const [name, message] of [["faulty", FAULTY], ["not_supported", NOT_SUPPORTED], ["too_long", TOO_LONG]]) {
  test(`${name} patterns are refused`, () => {
    for (const pattern of VECTORS[name]) assert.throws(() => compilePattern(pattern), { message }, pattern);
  });
}

test("no pattern takes longer than linear time", () => {
  const texts = ["a", "a.", "ab", "\\a", "a a ", "aaaaaaa!"].map((part) => part.repeat(20_000));
  const started = performance.now();
  for (const pattern of ["(\\w+\\.?)+:", "(a*)*b$", "(a|aa)+$", "(.*)*x", ".*.*.*.*=", "a+a+a+x", "(a|b)*a(a|b){90}x", "([a-z]+)*\\d"]) {
    for (const text of texts) compilePattern(pattern)(text);
  }
  assert.ok(performance.now() - started < 20_000);
});

test("a query of slashes, backslashes and quotes is split in linear time", () => {
  const started = performance.now();
  for (const part of ["\\a", "\\", '"', '""', "a ", '\\"', "/", "/\\"]) splitQuery(`/${part.repeat(3000)}`);
  assert.ok(performance.now() - started < 2000);
});
