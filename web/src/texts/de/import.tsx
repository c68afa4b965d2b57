import type { imports as en } from '../en/import.tsx';

export const imports: typeof en = {};
