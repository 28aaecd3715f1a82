import js from "@eslint/js";
import globals from "globals";

const rules = {
  "array-callback-return": "error",
  "consistent-return": "error",
  "default-case-last": "error",
  eqeqeq: ["error", "always", { null: "ignore" }],
  "func-style": ["error", "declaration", { allowArrowFunctions: true }],
  // Names from files may hold control characters, which patterns have to name.
  "no-control-regex": "off",
  "no-else-return": "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-lonely-if": "error",
  "no-loop-func": "error",
  "no-self-compare": "error",
  "no-shadow": ["error", { builtinGlobals: false }],
  "no-template-curly-in-string": "error",
  "no-unmodified-loop-condition": "error",
  "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_" }],
  "no-useless-concat": "error",
  "no-useless-return": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-arrow-callback": "error",
  "prefer-const": "error",
  "prefer-template": "error",
  radix: "error",
  strict: "error",
  "max-lines": ["error", 300],
  // Nothing here may parse a text as HTML.
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write"].map((property) => ({ property, message: "Names from files are text, not HTML." })),
  ],
};

const numbersByHand = [
  ["toFixed", "toPrecision", "toExponential", "toLocaleString"].map((property) => ({ property, message: "static/js/format/numbers.js writes numbers." })),
].flat();

export default [
  { ignores: ["node_modules/", "build/", "dist/", "demo/", ".venv/", "samples/", "docs/", "tests/fixtures/", "tests/browser/"] },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: "error" }, rules },
  { files: ["static/js/**/*.js"], languageOptions: { ecmaVersion: 2024, globals: globals.browser } },
  { files: ["static/js/**/*.js"], ignores: ["static/js/format/numbers.js"], rules: { "no-restricted-properties": [...rules["no-restricted-properties"], ...numbersByHand] } },
  { files: ["static/js/starter.js"], languageOptions: { sourceType: "script" }, rules: { strict: "off" } },
  { files: ["tests/js/**/*.js"], languageOptions: { ecmaVersion: 2024, globals: globals.node } },
];
