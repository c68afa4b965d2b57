import type { connect as en } from '../en/connect.tsx';

export const connect: typeof en = {};
