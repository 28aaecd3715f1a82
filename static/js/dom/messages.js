// Short messages to the reader, and copying to the clipboard.

import { focusedElement, h } from "./elements.js";

/** @type {HTMLElement} */
let messageBox;
/** @type {ReturnType<typeof setTimeout>} */
let hiding;

/** Add the place where messages appear. Screen readers often skip a live region that comes into the page together with its text. */
export function addMessageBox() {
  messageBox = h("div", { class: "toast", role: "status" });
  document.body.append(messageBox);
}

/**
 * Show a message for five seconds.
 * @param {string} message
 */
export function toast(message) {
  messageBox.textContent = message;
  clearTimeout(hiding);
  hiding = setTimeout(() => messageBox.replaceChildren(), 5000);
}

/**
 * Copy a text to the clipboard. Where the browser does not permit it, copy by way of a selected text field.
 * @param {string} text
 * @param {string} what
 */
export async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = focusedElement();
    const area = h("textarea", { class: "skip" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    focused?.focus({ preventScroll: true });
  }
  toast(`${what} copied`);
}
