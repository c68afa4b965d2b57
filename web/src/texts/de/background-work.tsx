import type { backgroundWork as en } from '../en/background-work.tsx';

export const backgroundWork: typeof en = {};
