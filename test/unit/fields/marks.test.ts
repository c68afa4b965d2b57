import { describe, expect, it } from 'vitest';
import { marked, plainLabel, withAddresses, withoutMarks } from '../../../src/features/display/marks.ts';
import type { MarkupNode } from '../../../src/features/display/markup.ts';
import { toHtml } from '../../../src/features/forms/page.ts';
import { markVectors, normalHtml } from '../../support/samples/mark-vectors.ts';

const depthOf = (nodes: readonly MarkupNode[]): number =>
  Math.max(0, ...nodes.map((node) => (typeof node === 'string' ? 0 : 1 + depthOf(node.slice(2) as MarkupNode[]))));

describe('a text with signs', () => {
  it.each(markVectors)('$text', ({ text, html, plain, email = plain }) => {
    const nodes = marked(text);
    expect(normalHtml(toHtml(nodes))).toBe(html);
    expect(withoutMarks(text)).toBe(plain);
    expect(withAddresses(text)).toBe(email);
  });

  it('nests at most three deep', () => {
    for (const part of ['*', '**', '***a', '*[**', '[[[[](']) {
      expect(depthOf(marked(part.repeat(1_000))), part).toBeLessThanOrEqual(3);
    }
  });

  it('is a label only of a checkbox', () => {
    expect(plainLabel({ kind: 'checkbox', label: '**a**' })).toBe('a');
    expect(plainLabel({ type: 'checkbox', label: '**a**' })).toBe('a');
    expect(plainLabel({ kind: 'text', label: '**a**' })).toBe('**a**');
    expect(plainLabel({ type: 'checkboxes', label: '**a**' })).toBe('**a**');
  });
});
