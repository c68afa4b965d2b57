import type { Draft, DraftField } from './draft.ts';
import { strictDefinition } from './draft.ts';
import { completeDefinition, definitionIssues, type FieldDefinition, FieldDefinitionInput } from './rules.ts';

export interface CheckedDraft {
  /** By the field's id and then by the option's name; what concerns the whole field is under `''`. */
  problems: ReadonlyMap<number, Readonly<Record<string, string>>>;
  /** The definitions that are right as they are, complete and in order. */
  definitions: FieldDefinition[];
  schema: { rejectUnknown: boolean; fields: FieldDefinition[] };
}

/** Checks a draft by the service's rules, field by field, so that each problem is told where it is. */
export function checkDraft(draft: Draft): CheckedDraft {
  const problems = new Map<number, Record<string, string>>();
  const note = ({ id }: DraftField, at: string, message: string): void => {
    const own = problems.get(id) ?? {};
    own[at] ??= message;
    problems.set(id, own);
  };

  const parsed: { field: DraftField; definition: FieldDefinitionInput }[] = [];
  for (const field of draft.fields) {
    const result = FieldDefinitionInput.safeParse(strictDefinition(field.definition));
    if (result.success) parsed.push({ field, definition: result.data });
    else for (const { path, message } of result.error.issues) note(field, String(path[0] ?? ''), message);
  }
  for (const { path, message } of definitionIssues(parsed.map(({ definition }) => definition))) {
    const [, index, at = ''] = path.split('.');
    const entry = parsed[Number(index)];
    if (entry) note(entry.field, at, message);
  }

  const definitions = parsed
    .filter(({ field }) => !problems.has(field.id))
    .map(({ definition }) => completeDefinition(definition));
  return { problems, definitions, schema: { rejectUnknown: draft.rejectUnknown, fields: definitions } };
}
