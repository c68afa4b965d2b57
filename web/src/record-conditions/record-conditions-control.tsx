import { Text } from '@mantine/core';
import type { Conditions } from '#src/core/fields/conditions.ts';
import type { Field } from '../api/endpoints.ts';
import { conditionTexts } from '../schema-editor/draft/condition-texts.ts';
import type { LooseDefinition } from '../schema-editor/draft/draft.ts';
import { EMAIL_FIELD } from '../schema-editor/draft/rules.ts';
import { ConditionsControl } from '../schema-editor/field/conditions-control.tsx';
import type { Scope } from '../users/scope.ts';
import { useMatches } from './matches.ts';

const texts = conditionTexts.ofRecords;

interface RecordConditionsControlProps {
  scope: Scope;
  fields: readonly Field[];
  legend?: string;
  value: Conditions | undefined;
  /** Why the service refused to store them, by paths such as `if.all.0.value`. */
  problems: Readonly<Record<string, string>>;
  onChange: (value: Conditions | undefined) => void;
}

/** Edits conditions on records, on any field and the email, and tries them on the newest ones. */
export function RecordConditionsControl(props: RecordConditionsControlProps) {
  const { scope, fields, legend = texts.onlyIf, value, problems, onChange } = props;
  const { matches, problems: found } = useMatches(scope, value);
  return (
    <ConditionsControl
      legend={legend}
      path="if"
      value={value}
      fields={conditionFields(fields)}
      problems={{ ...problems, ...found }}
      onChange={onChange}
    >
      <Text size="xs" c="dimmed" aria-live="polite">
        {matches && `${texts.matches(matches.matches, matches.of)}.`}
      </Text>
    </ConditionsControl>
  );
}

/** Returns what conditions on records may name: the fields, and last the email. */
export function conditionFields(fields: readonly Field[]): LooseDefinition[] {
  const others = fields.filter(({ key }) => key !== EMAIL_FIELD.key);
  return [...others.map((field) => ({ ...field })), { ...EMAIL_FIELD, label: texts.email }];
}
