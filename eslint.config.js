import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/node_modules/**", "build/**", "dist/**", ".venv/**", "samples/**", "tests/fixtures/**", "docs/**", "tests/browser/**"] },
  js.configs.recommended,
  {
    files: ["static/js/**/*.js"],
    languageOptions: { ecmaVersion: 2024, globals: globals.browser },
    rules: {},
  },
];
