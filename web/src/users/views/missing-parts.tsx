import { Alert, List } from '@mantine/core';
import type { Field } from '../../api/endpoints.ts';
import { t } from '../../texts/texts.ts';
import { conditionWords, parseCondition, targetOf, targetsOf } from '../filters/condition.ts';
import type { NamedPart } from '../list/link-parts.ts';

const SORT = /:(?:asc|desc)$/;

interface MissingPartsProps {
  title: string;
  note: string;
  missing: readonly NamedPart[];
  fields: readonly Field[];
}

/** Names the parts of a view or of a link that were left out. */
export function MissingParts({ title, note, missing, fields }: MissingPartsProps) {
  if (missing.length === 0) return null;
  const targets = targetsOf(fields);
  const words = ({ part, value }: NamedPart): string => {
    if (part === 'where') {
      const condition = parseCondition(value);
      return t.users.views.missing.where(conditionWords(condition, targetOf(condition.path, targets)));
    }
    const { label } = targetOf(value.replace(SORT, ''), targets);
    return t.users.views.missing[part](label);
  };
  return (
    <Alert color="yellow" role="status" title={title} mb="md">
      {note}
      <List size="sm">
        {missing.map((part) => (
          <List.Item key={`${part.part} ${part.value}`} className="breaks">
            {words(part)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
