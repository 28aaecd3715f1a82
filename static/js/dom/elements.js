// Elements of the page. Nothing here ever parses a text as HTML.

import { breakParts } from "../format/text.js";

/**
 * Create an element; text children become text nodes, so no name from a file can become markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes] null and false leave an attribute out; "onclick" adds a listener.
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/**
 * A name whose lines may end between its parts.
 * @param {string} name
 * @returns {Child[]}
 */
export function breakable(name) {
  return breakParts(name).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
}

/**
 * Return the element of an id; null where the page lacks it, which the type leaves out.
 * @param {string} id
 * @returns {PageElement}
 */
export function byId(id) {
  return /** @type {PageElement} */ (document.getElementById(id));
}

/**
 * Return the element that an event happened at.
 * @param {Event} event
 * @returns {PageElement}
 */
export function targetOf(event) {
  return /** @type {PageElement} */ (event.target);
}

/**
 * Return the innermost element around an event that matches a selector.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null} HTML or SVG; both have a dataset and the focus.
 */
export function closestTo(event, selector) {
  return targetOf(event).closest?.(selector) ?? null;
}

/**
 * Return an element inside of another; null where there is none, which the type leaves out.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function find(root, selector) {
  return /** @type {HTMLElement} */ (root.querySelector(selector));
}

/**
 * Return all elements that match a selector.
 * @template {Element} [Found=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {Found[]}
 */
export function findAll(selector, root = document) {
  return /** @type {Found[]} */ ([...root.querySelectorAll(selector)]);
}

/**
 * Return the element that has the focus.
 * @returns {HTMLElement | null}
 */
export function focusedElement() {
  return /** @type {HTMLElement | null} */ (document.activeElement);
}
