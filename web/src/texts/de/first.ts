import type { FirstTexts } from '../en/first.ts';
import { common } from './common.tsx';
import { components } from './components.tsx';
import { entrance } from './entrance.tsx';
import { session } from './session.tsx';

/** The German texts of the pages before the log-in, and of components that all pages share. */
export const first: FirstTexts = { common, components, entrance, session };
