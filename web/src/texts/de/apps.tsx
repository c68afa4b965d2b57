import type { apps as en } from '../en/apps.tsx';

export const apps: typeof en = {};
