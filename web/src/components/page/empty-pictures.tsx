import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

// Decorative: the title below a picture says what is empty. Surfaces have the class `sheet`, what
// stands out has the class `accent`.

const accent = classes.accent;
const sheet = classes.sheet;

/** The pictures of empty lists by their subject, 96 by 72. */
export const PICTURES = {
  inbox: (
    <>
      <path className={sheet} d="M16 38 26 14h44l10 24v22H16z" />
      <path d="M16 38h20l4 8h16l4-8h20" />
      <path className={accent} d="M34 22h28v12H34zM34 22l14 8 14-8" />
    </>
  ),
  users: (
    <>
      <rect className={sheet} x="12" y="12" width="72" height="48" rx="6" />
      <path d="M44 28h28M44 34h18M44 46h28M44 52h18" />
      <circle className={accent} cx="28" cy="28" r="5" />
      <path className={accent} d="M19 40c1-5 4.5-7 9-7s8 2 9 7z" />
      <circle cx="28" cy="48" r="4" />
    </>
  ),
  held: (
    <>
      <path className={sheet} d="M48 8 76 18v18c0 15-11 24-28 29-17-5-28-14-28-29V18z" />
      <path className={accent} d="M38 26h6v20h-6zM52 26h6v20h-6z" />
    </>
  ),
  webhooks: (
    <>
      <rect className={sheet} x="8" y="22" width="28" height="28" rx="6" />
      <rect className={sheet} x="60" y="22" width="28" height="28" rx="6" />
      <path d="M16 31h12M16 37h8" />
      <path className={accent} d="M40 36h14M49 30l6 6-6 6" />
      <path d="m68 36 4 4 8-9" />
    </>
  ),
  keys: (
    <>
      <rect className={sheet} x="10" y="16" width="76" height="40" rx="6" />
      <circle className={accent} cx="32" cy="36" r="9" />
      <path d="M41 36h33M66 36v8M74 36v6" />
    </>
  ),
  members: (
    <>
      <circle className={sheet} cx="40" cy="26" r="11" />
      <path className={sheet} d="M18 60c2-13 10-19 22-19s20 6 22 19z" />
      <circle className={accent} cx="70" cy="24" r="10" />
      <path d="M70 19v10M65 24h10" />
    </>
  ),
  imports: (
    <>
      <path className={sheet} d="M28 8h28l14 14v42H28z" />
      <path d="M56 8v14h14M38 52h22M38 58h14" />
      <path className={accent} d="M49 44V26M41 33l8-8 8 8" />
    </>
  ),
  audit: (
    <>
      <rect className={sheet} x="18" y="8" width="44" height="56" rx="5" />
      <path d="M28 22h24M28 32h24M28 42h12" />
      <circle className={accent} cx="64" cy="48" r="14" />
      <path d="M64 40v8l6 4" />
    </>
  ),
  apps: (
    <>
      <rect className={sheet} x="20" y="8" width="24" height="24" rx="5" />
      <rect className={sheet} x="52" y="8" width="24" height="24" rx="5" />
      <rect className={sheet} x="20" y="40" width="24" height="24" rx="5" />
      <rect className={accent} x="52" y="40" width="24" height="24" rx="5" />
      <path d="M64 46v12M58 52h12" />
    </>
  ),
  /** Of a search or a filter that nothing matches, and of a page that does not exist. */
  search: (
    <>
      <rect className={sheet} x="14" y="10" width="56" height="50" rx="6" />
      <path d="M24 22h36M24 32h16M24 42h12" />
      <circle className={accent} cx="58" cy="42" r="13" />
      <path d="m68 52 12 12" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type Subject = keyof typeof PICTURES;
