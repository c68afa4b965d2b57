import type { Markup } from './markup-node.ts';
import { type PresetName, presetOf, THEME_PRESETS } from './presets.ts';

export const THEME_SCHEMES = ['light', 'dark', 'auto'] as const;
export const THEME_FONTS = ['system', 'serif', 'rounded', 'mono'] as const;
export const THEME_CORNERS = ['square', 'round'] as const;

/** The images of a theme, with the most bytes of each. */
export const IMAGE_BYTES = { logo: 100 * 1024, logoDark: 100 * 1024, cover: 300 * 1024 } as const;
export type ImageName = keyof typeof IMAGE_BYTES;
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The style of an app's forms (spec 4.5.1). An absent member is as without a theme. */
export interface Theme {
  /** Beaten by the other members. */
  preset?: PresetName;
  /** `#rrggbb`, in lower case. */
  accent?: string;
  scheme?: (typeof THEME_SCHEMES)[number];
  font?: (typeof THEME_FONTS)[number];
  corners?: (typeof THEME_CORNERS)[number];
}

type Scheme = 'light' | 'dark';

/** Returns a theme with the members of its preset that it has not itself. */
export function withPreset<Given extends Theme>(theme: Given): Given {
  const { accent, scheme, font, corners } = presetOf(theme.preset) ?? {};
  return {
    ...(accent && { accent }),
    ...(scheme && { scheme }),
    ...(font && { font }),
    ...(corners && { corners }),
    ...theme,
  };
}

/** Returns the colors of the page and of the sheet in a scheme. */
export const surfacesOf = ({ preset }: Pick<Theme, 'preset'>, scheme: Scheme) => ({
  ...PAGES[scheme],
  ...presetOf(preset)?.[scheme],
});

/** The colors of page.css, for a scheme other than that of the visitor. */
const PAGES = {
  light: { page: '#f4f5f7', sheet: '#fff', text: '#1b1f26', shade: '0 1px 2px #1018280d, 0 8px 24px #10182814' },
  dark: { page: '#0e1014', sheet: '#1a1d23', text: '#e7e9ee', shade: 'none' },
} as const;

/** What the colors of an accent are seen on, in page.css and form.css; first the background. */
export const SURFACES: Readonly<Record<Scheme, readonly string[]>> = {
  light: ['#ffffff', '#effaf3', '#fff5f4'],
  dark: ['#1a1d23', '#11241a', '#2b1715', '#14171c'],
};

const FONTS: Readonly<Record<(typeof THEME_FONTS)[number], string>> = {
  system: 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif',
  serif: 'ui-serif,Georgia,Cambria,"Noto Serif","Times New Roman",serif',
  rounded:
    'ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Quicksand,Nunito,"Arial Rounded MT Bold",sans-serif',
  mono: 'ui-monospace,"Cascadia Code","SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace',
};

/** The images of forms. They are shown whole: text in them must not be cut. */
const IMAGES =
  '.cover,.logo{display:block;height:auto;max-width:100%;margin:0 0 1.5rem}.cover{width:100%;border-radius:8px}.logo{max-height:5rem;max-width:min(100%,16rem);object-fit:contain}';

interface ThemeImage {
  class: string;
  src: string;
  alt: string;
  /** The address of the version for dark backgrounds. */
  dark?: string | undefined;
}

/** Returns the element of an image: of a logo with two versions that of the scheme. */
export function imageMarkup({ dark, ...image }: ThemeImage, scheme: Required<Theme>['scheme']): Markup {
  if (dark === undefined) return ['img', { ...image }];
  const both = { ...image, class: `${image.class} both` };
  if (scheme !== 'auto') return ['img', { ...both, src: scheme === 'dark' ? dark : image.src }];
  return ['picture', {}, ['source', { media: '(prefers-color-scheme:dark)', srcset: dark }], ['img', both]];
}

/** Of controls, and of the sheet around them. */
const RADII = { square: ['0px', '0px'], round: ['16px', '28px'] } as const;

/** As in form.css: what the colors of both schemes need, and the color of text on an accent. */
const SCHEMES = '(color:light-dark(lab(from #000 l 0 0),#000))';
const ON_ACCENT = 'lab(from var(--accent) calc((49.44 - l)*9999) 0 0)';

interface AccentColors {
  /** Of buttons, borders and focus rings: 3 : 1 on every surface. */
  accent: string;
  /** Of text on it: black or white, at least 4.5 : 1. */
  onAccent: '#000000' | '#ffffff';
  /** Of links: 4.5 : 1 on every surface. */
  link: string;
}

/** Returns the colors of an accent: darker or lighter where it has too little contrast. */
export function accentColors(given: string, scheme: Scheme, preset?: PresetName): AccentColors {
  const { sheet, field } = { field: undefined, ...presetOf(preset)?.[scheme] };
  const surfaces = [...SURFACES[scheme], ...[sheet, field].filter((color) => color !== undefined)];
  const accent = withContrast(given, scheme, surfaces, 3);
  const onAccent = contrast(accent, '#000000') >= contrast(accent, '#ffffff') ? '#000000' : '#ffffff';
  return { accent, onAccent, link: withContrast(given, scheme, surfaces, 4.5) };
}

const STEPS = 64;

function withContrast(color: string, scheme: Scheme, surfaces: readonly string[], least: number): string {
  const end = scheme === 'light' ? 0 : 255;
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = toColor(channels(color).map((value) => Math.round(value + ((end - value) * step) / STEPS)));
    if (surfaces.every((surface) => contrast(mixed, surface) >= least)) return mixed;
  }
  return toColor([end, end, end]);
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
const toColor = (values: readonly number[]): string =>
  `#${values.map((value) => value.toString(16).padStart(2, '0')).join('')}`;

/** Returns the contrast of two colors `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Returns the style sheet of a theme, which follows form.css: for a page of the service (`:root`)
 * and for a shadow root (`:host`). The properties that a site sets still count.
 */
export function themeStyle(theme: Theme): string {
  const { accent, scheme = 'auto', font, corners } = withPreset(theme);
  const preset = presetOf(theme.preset);
  const rules = [IMAGES, ...plateRules(scheme)];
  if (scheme !== 'auto') {
    const { page, sheet, text, shade } = surfacesOf(theme, scheme);
    rules.push(`:root{color-scheme:${scheme};--page:${page};--sheet:${sheet};--text:${text};--shade:${shade}}`);
    rules.push(`:host{color-scheme:${scheme};padding:1.25em}`);
    // Rules of a site for the element itself, such as for every `div`, win over those of `:host`.
    rules.push(`:host,:host>div{background:${sheet};color:${text}}`);
  }
  if (preset) rules.push(...presetRules(preset, scheme));
  if (font) rules.push(`body,:host{font-family:${FONTS[font]}}`);
  if (corners) {
    const [radius, around] = RADII[corners];
    rules.push(`.form,.note{--radius:var(--user-collection-radius,${radius})}`);
    rules.push(`main,:host{border-radius:${around}}`);
  }
  if (accent) {
    // An accent of its own counts in both schemes.
    const darkAccent = (theme.accent === undefined && preset?.darkAccent) || accent;
    const light = accentColors(accent, 'light', theme.preset);
    const dark = accentColors(darkAccent, 'dark', theme.preset);
    rules.push(accentRules(scheme === 'dark' ? dark : light));
    if (scheme === 'auto') {
      const both = (name: keyof AccentColors) => `light-dark(${light[name]},${dark[name]})`;
      const colors = { accent: both('accent'), onAccent: both('onAccent'), link: both('link') };
      rules.push(`@supports ${SCHEMES}{${accentRules(colors)}}`);
    }
    // A site may set another accent.
    rules.push(`@supports ${SCHEMES}{.form,.note{--on-accent:var(--user-collection-on-accent,${ON_ACCENT})}}`);
    // A brighter button would have less contrast.
    rules.push('button:hover{filter:none;text-decoration:underline}');
  }
  if (preset?.rules) rules.push(preset.rules);
  return rules.join('\n');
}

/** A logo that has no version for dark backgrounds stands on a light plate there. */
function plateRules(scheme: Required<Theme>['scheme']): string[] {
  const plate = (color: string) =>
    `.logo:not(.both){background:${color};box-shadow:0 0 0 0.625rem ${color};border-radius:1px}`;
  // The room of the plate. An embedded form has no scheme of its own that a rule could ask.
  const place = ' .logo:not(.both){margin:0 0.625rem 2.125rem}';
  if (scheme === 'light') return [];
  if (scheme === 'dark') return [plate('#fff'), place.trim()];
  const dark = `@media (prefers-color-scheme:dark){:root${place}}`;
  return [`@supports ${SCHEMES}{${plate('light-dark(#0000,#fff)')}${dark}}`];
}

/** The colors of a preset: of both schemes where the visitor has one of them. */
function presetRules(
  { light, dark }: NonNullable<ReturnType<typeof presetOf>>,
  scheme: Required<Theme>['scheme'],
): string[] {
  const page = (colors: typeof light) => `:root{--page:${colors.page};--sheet:${colors.sheet}}`;
  const field = (color: string | undefined) => (color === undefined ? [] : [`.form,.note{--field:${color}}`]);
  if (scheme !== 'auto') return field({ light, dark }[scheme].field);
  const fields = dark.field === undefined ? [] : field(`light-dark(${light.field ?? '#fff'},${dark.field})`);
  return [
    page(light),
    ...field(light.field),
    `@supports ${SCHEMES}{@media (prefers-color-scheme:dark){${page(dark)}}${fields.join('')}}`,
  ];
}

function accentRules({ accent, onAccent, link }: Readonly<Record<keyof AccentColors, string>>): string {
  const own = `--accent:var(--user-collection-accent,${accent});--on-accent:var(--user-collection-on-accent,${onAccent})`;
  return `.form,.note{${own}}a{color:${link}}`;
}

const THEME_PATH = '/embed/theme.css';

/** Returns the address of the style sheet of a theme, which names each member. */
export function themePath({ preset, accent, scheme, font, corners }: Theme): string {
  const members = Object.entries({ preset, accent: accent?.slice(1), scheme, font, corners });
  const given = members.filter((member): member is [string, string] => member[1] !== undefined);
  return given.length > 0 ? `${THEME_PATH}?${new URLSearchParams(given)}` : THEME_PATH;
}

const ADDRESSED = new Map([
  ['accent', /^[0-9a-f]{6}$/],
  ...Object.entries({ preset: THEME_PRESETS, scheme: THEME_SCHEMES, font: THEME_FONTS, corners: THEME_CORNERS }).map(
    ([name, values]) => [name, new RegExp(`^(?:${values.join('|')})$`)] as const,
  ),
]);

/** Returns the theme that the query of such an address names; undefined for any other query. */
export function themeOf(query: Readonly<Record<string, unknown>>): Theme | undefined {
  const theme: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string' || !ADDRESSED.get(name)?.test(value)) return undefined;
    theme[name] = name === 'accent' ? `#${value}` : value;
  }
  return theme;
}
