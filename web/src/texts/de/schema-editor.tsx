import type { schemaEditor as en } from '../en/schema-editor.tsx';

export const schemaEditor: typeof en = {};
