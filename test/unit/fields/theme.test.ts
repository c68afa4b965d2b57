import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../../src/features/display/presets.ts';
import {
  accentColors,
  contrast,
  SURFACES,
  surfacesOf,
  themeOf,
  themePath,
  themeStyle,
  withPreset,
} from '../../../src/features/display/theme.ts';

const SCHEMES = ['light', 'dark'] as const;
const digits = [...'0123456789abcdef'];
/** 4,096 colors. */
const COLORS = digits.flatMap((r) => digits.flatMap((g) => digits.map((b) => `#${r}${r}${g}${g}${b}${b}`)));
const atLeast = (color: string, surfaces: readonly string[], least: number) =>
  surfaces.every((surface) => contrast(color, surface) >= least);

describe('the colors of a theme (spec 4.5.1)', () => {
  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'));
  });

  it('have enough contrast for 4,096 accents, in both schemes', { tags: 'long' }, () => {
    const bad = COLORS.flatMap((color) =>
      SCHEMES.flatMap((scheme) => {
        const { accent, onAccent, link } = accentColors(color, scheme);
        const other = onAccent === '#000000' ? '#ffffff' : '#000000';
        const holds =
          atLeast(accent, SURFACES[scheme], 3) &&
          atLeast(link, SURFACES[scheme], 4.5) &&
          contrast(accent, onAccent) >= 4.5 &&
          contrast(accent, onAccent) >= contrast(accent, other);
        return holds ? [] : [`${color} ${scheme}`];
      }),
    );
    expect(bad).toEqual([]);
  });

  it('are the accent itself where it has enough contrast, which is so in one scheme for every accent', {
    tags: 'long',
  }, () => {
    const lacking = COLORS.filter((color) =>
      SCHEMES.every((scheme) => !atLeast(color, SURFACES[scheme].slice(0, 1), 3)),
    );
    expect(lacking).toEqual([]);
    for (const color of COLORS)
      for (const scheme of SCHEMES)
        expect(accentColors(color, scheme).accent === color).toBe(atLeast(color, SURFACES[scheme], 3));
    expect(accentColors('#ffe600', 'dark')).toEqual({ accent: '#ffe600', onAccent: '#000000', link: '#ffe600' });
    expect(accentColors('#ffe600', 'light').accent).not.toBe('#ffe600');
  });

  it('are seen on the colors of the style sheets', () => {
    const css = (name: string) => readFileSync(new URL(`../../../web/embed/${name}`, import.meta.url), 'utf8');
    const page = css('page.css').replaceAll(/\s+/g, ' ');
    for (const scheme of SCHEMES) {
      const [, own = ''] = /:root\{color-scheme:\w+;(.+)\}/.exec(themeStyle({ scheme })) ?? [];
      expect(own.split(';')).toHaveLength(4);
      for (const one of own.split(';')) expect(page).toContain(`${one.replace(':', ': ')};`);
    }
    const all = (page + css('form.css')).replaceAll('#fff;', '#ffffff;').replaceAll('#fff)', '#ffffff)');
    for (const color of Object.values(SURFACES).flat()) expect(all).toContain(color);
  });
});

describe('the style sheet of a theme', () => {
  it('is that of the theme that its address names, and there is none for another query', () => {
    const theme = { preset: 'paper', accent: '#1f5fd6', scheme: 'dark', font: 'serif', corners: 'round' } as const;
    for (const one of [theme, {}, { accent: theme.accent }, { font: theme.font }]) {
      expect(themeOf(Object.fromEntries(new URL(themePath(one), 'http://localhost').searchParams))).toEqual(one);
    }
    const others: Record<string, unknown>[] = [
      { accent: 'red' },
      { accent: '#1f5fd6' },
      { accent: ['1f5fd6'] },
      { scheme: 'a' },
      { preset: 'toString' },
      { toString: '' },
    ];
    for (const query of others) expect(themeOf(query)).toBeUndefined();
  });
});

describe('a preset of a theme', () => {
  const looks = Object.entries(PRESETS) as [keyof typeof PRESETS, (typeof PRESETS)[keyof typeof PRESETS]][];

  it('is one of at least six', () => expect(looks.length).toBeGreaterThanOrEqual(6));

  it.each(looks)('%s has enough contrast on its surfaces, in both schemes', (preset, look) => {
    for (const scheme of SCHEMES) {
      const { page, sheet, text } = surfacesOf({ preset }, scheme);
      const given: string = scheme === 'dark' && 'darkAccent' in look ? look.darkAccent : look.accent;
      const { accent, onAccent, link } = accentColors(given, scheme, preset);
      const field: string = 'field' in look[scheme] ? (look[scheme] as { field: string }).field : sheet;
      expect(atLeast(accent, [sheet, field], 3)).toBe(true);
      expect(atLeast(link, [sheet], 4.5)).toBe(true);
      expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(4.5);
      const ink = { light: '#1b1f26', dark: '#e7e9ee' }[scheme];
      const quiet = { light: '#565d69', dark: '#a9b0bc' }[scheme];
      const edge = { light: '#858b96', dark: '#7b828f' }[scheme];
      expect(contrast(text === '#1b1f26' ? ink : text, page)).toBeGreaterThanOrEqual(4.5);
      expect(atLeast(ink, [sheet, field], 4.5)).toBe(true);
      expect(atLeast(quiet, [sheet, field], 4.5)).toBe(true);
      expect(atLeast(edge, [sheet, field], 3)).toBe(true);
    }
  });

  it('is beaten by explicit members', () => {
    expect(withPreset({ preset: 'midnight' })).toMatchObject({ scheme: 'dark', accent: PRESETS.midnight.accent });
    const own = { preset: 'midnight', scheme: 'auto', accent: '#ff0000' } as const;
    expect(withPreset(own)).toEqual(own);
    const style = themeStyle(own);
    expect(style).toContain(`--sheet:${PRESETS.midnight.light.sheet}`);
    expect(style).toContain('prefers-color-scheme:dark');
    expect(style).not.toContain(PRESETS.midnight.accent);
  });
});
