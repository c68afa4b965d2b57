import { describe, expect, it } from 'vitest';
import { firstTexts } from '../../../web/src/inbox/texts.ts';

describe('the first texts of a message', () => {
  it.each([
    [{ name: 'Ada', note: 'Hello', news: true }, 'Ada · Hello'],
    [{ visits: [{ page: '/docs', seconds: 20 }] }, 'page: /docs, seconds: 20'],
    [{ visits: [{ value: '/pricing', timestamp: '2026-01-31T08:30:00.000Z' }, '/docs'] }, '/pricing, /docs'],
    [{ size: { width: 2, colours: ['red', null] } }, 'width: 2, colours: red, null'],
    [{}, ''],
  ])('of %j are %j', (data, texts) => {
    expect(firstTexts(data, [])).toBe(texts);
  });
});
