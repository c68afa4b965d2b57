import { useEffect, useRef } from 'react';
import type { Markup } from '#src/features/display/markup.ts';
import { toDom } from '../../../embed/dom.ts';

interface FormPartProps {
  content: readonly Markup[];
  /** The styles of the form. */
  sheet: CSSStyleSheet;
}

/**
 * Elements of a form in its own style, apart from that of the dashboard. Inert: a click reaches
 * what is around them.
 */
export function FormPart({ content, sheet }: FormPartProps) {
  const host = useRef<HTMLDivElement>(null);
  // Elements are built again only if they change: an edit of one field does not touch the others.
  const shown = JSON.stringify(content);
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.replaceChildren(...toDom(JSON.parse(shown)));
  }, [shown, sheet]);
  return <div ref={host} inert data-part />;
}
