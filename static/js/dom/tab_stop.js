// One stop of the Tab key among many elements, which arrow keys reach.

export class TabStop {
  constructor() {
    /** @type {Element | null} */
    this.element = null;
  }

  /**
   * Make an element the stop in place of the last one.
   * @param {Element | null | undefined} element
   */
  moveTo(element) {
    if (!element) return;
    this.element?.setAttribute("tabindex", "-1");
    this.element = element;
    element.setAttribute("tabindex", "0");
  }
}
