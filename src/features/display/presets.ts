/** The colors of a page and of the sheet with the form, each `#rrggbb`. */
interface Surfaces {
  page: string;
  sheet: string;
  /** Of controls. Default: that of form.css. */
  field?: string;
}

/** A designed look. Explicit members of a theme replace those of its preset. */
interface Preset {
  accent: string;
  /** In the dark scheme. Default: `accent`. */
  darkAccent?: string;
  /** Default: as the visitor has it. */
  scheme?: 'dark';
  font?: 'serif' | 'rounded' | 'mono';
  corners?: 'square' | 'round';
  light: Surfaces;
  dark: Surfaces;
  /** Further rules, after those of the theme. */
  rules?: string;
}

const CONTROLS = 'input:not([type="checkbox"],[type="radio"]),select,textarea';

export const PRESETS = {
  /** No sheet around the form, and black on white. */
  plain: {
    accent: '#17181c',
    darkAccent: '#eceef2',
    light: { page: '#ffffff', sheet: '#ffffff' },
    dark: { page: '#121316', sheet: '#121316' },
    rules: 'main{box-shadow:none}',
  },
  /** Ink on cream: serif, with lines in place of boxes. */
  paper: {
    accent: '#8a3b12',
    darkAccent: '#e3a776',
    font: 'serif',
    corners: 'square',
    light: { page: '#efe6d6', sheet: '#fffaf1', field: '#fffaf1' },
    dark: { page: '#14100b', sheet: '#1e1811', field: '#1e1811' },
    rules: `${CONTROLS}{padding-inline:0.125em;border-width:0 0 1px}select{padding-inline-end:2.5em}`,
  },
  /** Dark blue at any time of the day. */
  midnight: {
    accent: '#93a5ff',
    scheme: 'dark',
    light: { page: '#dfe4f7', sheet: '#ffffff' },
    dark: { page: '#0a0f1f', sheet: '#121a30', field: '#0d1426' },
  },
  /** Green and round. */
  meadow: {
    accent: '#2f7a4d',
    darkAccent: '#7fd1a0',
    font: 'rounded',
    corners: 'round',
    light: { page: '#e3f0e5', sheet: '#ffffff' },
    dark: { page: '#0b130e', sheet: '#142019', field: '#0f1913' },
  },
  /** Pink and round. */
  blossom: {
    accent: '#b92d78',
    darkAccent: '#f392c2',
    font: 'rounded',
    corners: 'round',
    light: { page: '#fbe4ee', sheet: '#ffffff' },
    dark: { page: '#160c12', sheet: '#23151e', field: '#1b1017' },
  },
  /** Blue and clear. */
  ocean: {
    accent: '#0a6a93',
    darkAccent: '#71c6ec',
    light: { page: '#d8eaf3', sheet: '#ffffff' },
    dark: { page: '#07121a', sheet: '#102029', field: '#0b1820' },
  },
  /** Green on black in letters of one width. */
  terminal: {
    accent: '#4ade80',
    scheme: 'dark',
    font: 'mono',
    corners: 'square',
    light: { page: '#e9efe9', sheet: '#ffffff' },
    dark: { page: '#040705', sheet: '#0a100c', field: '#040705' },
  },
  /** Yellow, with strong lines. */
  poster: {
    accent: '#c2410c',
    darkAccent: '#ffd43b',
    corners: 'square',
    light: { page: '#ffdd57', sheet: '#ffffff' },
    dark: { page: '#1c1700', sheet: '#12100a', field: '#12100a' },
    rules: '.form{--edge:var(--ink)}',
  },
} as const satisfies Record<string, Preset>;
export type PresetName = keyof typeof PRESETS;

export const THEME_PRESETS = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

export const presetOf = (name: PresetName | undefined): Preset | undefined => name && PRESETS[name];
