/**
 * Stops the keys of an embedded form at its shadow root. The site would take them for keys of the
 * host, which is no control, and so for its shortcuts. Escape, Tab and keys with Ctrl, Alt or Meta
 * go on.
 */
export function stopKeys(root: ShadowRoot): void {
  /** Whether the last `keydown` of a key was stopped: its `keyup` then is too. */
  const stopped: Record<string, boolean> = {};
  for (const type of ['keydown', 'keypress', 'keyup'] as const) {
    root.addEventListener(type, (event) => {
      const { code, key, ctrlKey, altKey, metaKey } = event as KeyboardEvent;
      if (type !== 'keyup') stopped[code] = !(ctrlKey || altKey || metaKey || key === 'Escape' || key === 'Tab');
      if (stopped[code]) event.stopPropagation();
    });
  }
}
