import type { audit as en } from '../en/audit.tsx';

export const audit: typeof en = {};
