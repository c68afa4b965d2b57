import { reasonText } from '../../texts/reasons.ts';
import type { Draft, DraftField } from './draft.ts';
import { strictDefinition } from './draft.ts';
import {
  completeDefinition,
  definitionIssues,
  type FieldDefinition,
  FieldDefinitionInput,
  reasonIn,
  safeParse,
} from './rules.ts';

export interface CheckedDraft {
  /**
   * Messages by field id and option name, of conditions by their paths, such as `showIf.all.0.op`.
   * The key `''` holds a message about the whole field.
   */
  problems: ReadonlyMap<number, Readonly<Record<string, string>>>;
  /** The valid definitions with defaults filled in, in order. */
  definitions: FieldDefinition[];
  schema: { rejectUnknown: boolean; fields: FieldDefinition[] };
}

/** The name under which a problem is shown: of conditions its whole path. */
function optionAt(path: readonly PropertyKey[]): string {
  const [option = ''] = path;
  return option === 'showIf' || option === 'requiredIf' ? path.join('.') : String(option);
}

/** Validates a draft with the service's rules. Reports each problem with its field and option. */
export function checkDraft(draft: Draft): CheckedDraft {
  const problems = new Map<number, Record<string, string>>();
  const report = ({ id }: DraftField, option: string, message: string): void => {
    const own = problems.get(id) ?? {};
    own[option] ??= message;
    problems.set(id, own);
  };

  const parsed: { field: DraftField; definition: FieldDefinitionInput }[] = [];
  for (const field of draft.fields) {
    const result = safeParse(FieldDefinitionInput, strictDefinition(field.definition));
    if (result.success) parsed.push({ field, definition: result.data });
    else for (const issue of result.error.issues) report(field, optionAt(issue.path), reasonText(reasonIn(issue)));
  }
  for (const issue of definitionIssues(parsed.map(({ definition }) => definition))) {
    const [, index, ...path] = issue.path.split('.');
    const entry = parsed[Number(index)];
    if (entry) report(entry.field, optionAt(path), reasonText(issue));
  }

  const definitions = parsed
    .filter(({ field }) => !problems.has(field.id))
    .map(({ definition }) => completeDefinition(definition));
  return { problems, definitions, schema: { rejectUnknown: draft.rejectUnknown, fields: definitions } };
}
