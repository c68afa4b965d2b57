import { useEffect, useRef } from 'react';
import { marked } from '#src/features/display/marks.ts';
import { toDom } from '../../../embed/dom.ts';

interface EditableTextProps {
  /** The class of the element in the styles of the form. */
  part: 'title' | 'text' | 'page-title' | 'send';
  /** The name of the text, such as `Title`. */
  name: string;
  text: string;
  /** What is shown while there is no text. */
  placeholder: string;
  /** Whether the text has marks, such as `**bold**`, and several lines. */
  isLong?: boolean;
  lang: string;
  sheet: CSSStyleSheet;
  onChange: (text: string) => void;
}

/** A text of a form that is edited where it stands. While it has the focus, its marks are shown. */
export function EditableText(props: EditableTextProps) {
  const { part, name, text, placeholder, isLong = false, lang, sheet, onChange } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [sheet];
    const element: HTMLElement = document.createElement('div');
    element.className = `${part} editable`;
    element.contentEditable = 'plaintext-only';
    element.setAttribute('role', 'textbox');
    element.setAttribute('aria-multiline', `${isLong}`);
    const show = (): void =>
      element.replaceChildren(...(isLong ? toDom(marked(latest.current.text)) : [latest.current.text]));
    element.addEventListener('focus', () => {
      element.textContent = latest.current.text;
    });
    element.addEventListener('blur', show);
    element.addEventListener('input', () => latest.current.onChange(textOf(element, isLong)));
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' || (event.key === 'Enter' && !isLong)) {
        event.preventDefault();
        element.blur();
      }
    });
    // The element that has the properties of a form's style.
    const form = document.createElement('div');
    form.className = 'form';
    form.append(element);
    root.replaceChildren(form);
    show();
  }, [part, isLong, sheet]);
  useEffect(() => {
    const element = host.current?.shadowRoot?.querySelector('.editable');
    if (!element) return;
    element.setAttribute('aria-label', name);
    element.setAttribute('data-placeholder', placeholder);
    element.setAttribute('lang', lang);
    // What somebody types is there already: a replacement would move the caret.
    if (host.current?.shadowRoot?.activeElement === element) return;
    element.replaceChildren(...(isLong ? toDom(marked(text)) : [text]));
  }, [name, placeholder, lang, text, isLong]);
  return <div ref={host} data-part />;
}

function textOf(element: HTMLElement, isLong: boolean): string {
  const text = element.textContent ?? '';
  return isLong ? text.replace(/\n$/, '') : text.replace(/\s+/g, ' ');
}
