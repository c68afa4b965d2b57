import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { marked } from '../../../src/features/display/marks.ts';
import { Marked } from '../../../web/src/components/marked.tsx';
import { nodesHtml } from '../../../web/src/connect/snippets/escape.ts';
import { markVectors, normalHtml } from '../../support/samples/mark-vectors.ts';

it.each(markVectors)('snippets and the dashboard show $text as the service', ({ text, html }) => {
  const nodes = marked(text);
  expect(normalHtml(nodesHtml(nodes))).toBe(html);
  expect(normalHtml(renderToStaticMarkup(createElement(Marked, { nodes })))).toBe(html);
});
