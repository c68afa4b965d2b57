import type { privacy as en } from '../en/privacy.tsx';

export const privacy: typeof en = {};
