import type { components as en } from '../en/components.tsx';

export const components: typeof en = {};
