import type { keys as en } from '../en/keys.tsx';

export const keys: typeof en = {};
