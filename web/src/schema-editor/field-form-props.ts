import type { LooseDefinition } from './draft.ts';

/** The properties of the parts of a field's form. */
export interface FieldFormProps {
  definition: LooseDefinition;
  /** Messages by option name; `''` holds a message about the whole field. */
  problems: Readonly<Record<string, string>>;
  onChange: (part: Partial<LooseDefinition>) => void;
}
