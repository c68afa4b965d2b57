export const THEME_SCHEMES = ['light', 'dark', 'auto'] as const;
export const THEME_FONTS = ['system', 'serif', 'rounded', 'mono'] as const;
export const THEME_CORNERS = ['square', 'round'] as const;

/** The images of a theme, with the most bytes of each. */
export const IMAGE_BYTES = { logo: 100 * 1024, cover: 300 * 1024 } as const;
export type ImageName = keyof typeof IMAGE_BYTES;
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The style of an app's forms (spec 4.5.1). An absent member is as without a theme. */
export interface Theme {
  /** `#rrggbb`, in lower case. */
  accent?: string;
  scheme?: (typeof THEME_SCHEMES)[number];
  font?: (typeof THEME_FONTS)[number];
  corners?: (typeof THEME_CORNERS)[number];
}

type Scheme = 'light' | 'dark';

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
export function accentColors(given: string, scheme: Scheme): AccentColors {
  const accent = withContrast(given, scheme, 3);
  const onAccent = contrast(accent, '#000000') >= contrast(accent, '#ffffff') ? '#000000' : '#ffffff';
  return { accent, onAccent, link: withContrast(given, scheme, 4.5) };
}

const STEPS = 64;

function withContrast(color: string, scheme: Scheme, least: number): string {
  const end = scheme === 'light' ? 0 : 255;
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = toColor(channels(color).map((value) => Math.round(value + ((end - value) * step) / STEPS)));
    if (SURFACES[scheme].every((surface) => contrast(mixed, surface) >= least)) return mixed;
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
export function themeStyle({ accent, scheme = 'auto', font, corners }: Theme): string {
  const rules = [IMAGES];
  if (scheme !== 'auto') {
    const { page, sheet, text, shade } = PAGES[scheme];
    rules.push(`:root{color-scheme:${scheme};--page:${page};--sheet:${sheet};--text:${text};--shade:${shade}}`);
    rules.push(`:host{color-scheme:${scheme};padding:1.25em}`);
    // Rules of a site for the element itself, such as for every `div`, win over those of `:host`.
    rules.push(`:host,:host>div{background:${sheet};color:${text}}`);
  }
  if (font) rules.push(`body,:host{font-family:${FONTS[font]}}`);
  if (corners) {
    const [radius, around] = RADII[corners];
    rules.push(`.form,.note{--radius:var(--user-collection-radius,${radius})}`);
    rules.push(`main,:host{border-radius:${around}}`);
  }
  if (accent) {
    const [light, dark] = [accentColors(accent, 'light'), accentColors(accent, 'dark')];
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
  return rules.join('\n');
}

function accentRules({ accent, onAccent, link }: Readonly<Record<keyof AccentColors, string>>): string {
  const own = `--accent:var(--user-collection-accent,${accent});--on-accent:var(--user-collection-on-accent,${onAccent})`;
  return `.form,.note{${own}}a{color:${link}}`;
}

const THEME_PATH = '/embed/theme.css';

/** Returns the address of the style sheet of a theme, which names each member. */
export function themePath({ accent, scheme, font, corners }: Theme): string {
  const members = Object.entries({ accent: accent?.slice(1), scheme, font, corners });
  const given = members.filter((member): member is [string, string] => member[1] !== undefined);
  return given.length > 0 ? `${THEME_PATH}?${new URLSearchParams(given)}` : THEME_PATH;
}

const ADDRESSED = new Map([
  ['accent', /^[0-9a-f]{6}$/],
  ...Object.entries({ scheme: THEME_SCHEMES, font: THEME_FONTS, corners: THEME_CORNERS }).map(
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
