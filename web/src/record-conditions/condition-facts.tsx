import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fillText } from '#src/platform/languages/catalogue.ts';
import { numberRules } from '#src/platform/languages/texts.ts';
import type { Webhook } from '../api/endpoints.ts';
import { useServiceTexts } from '../languages/languages.ts';
import { conditionTexts } from '../schema-editor/draft/condition-texts.ts';
import { type FieldDefinition, recordConditionWords } from '../schema-editor/draft/rules.ts';
import { language, locale } from '../texts/language.ts';
import { reasonText } from '../texts/reasons.ts';
import { scopedSchemaQuery } from '../users/queries.ts';
import type { Scope } from '../users/scope.ts';
import { useMatches } from './matches.ts';

const texts = conditionTexts.ofRecords;
const numbers = numberRules(locale);

interface ConditionFactsProps extends Pick<Webhook, 'problem'> {
  scope: Scope;
  conditions: NonNullable<Webhook['if']>;
}

/** Conditions as a sentence, and how many of the newest records match, or what is wrong. */
export function ConditionFacts({ scope, conditions, problem }: ConditionFactsProps) {
  const { data: schema } = useQuery(scopedSchemaQuery(scope));
  const catalogue = useServiceTexts(language);
  const { matches } = useMatches(scope, problem ? undefined : conditions);
  if (!schema) return null;
  const words = recordConditionWords(conditions, schema.fields as FieldDefinition[], language, (code, params = {}) =>
    fillText(catalogue, code, params, numbers),
  );
  return (
    <Text component="span" inherit className="breaks">
      {texts.inWords(words)}.{' '}
      {problem && (
        <Text component="span" inherit c="var(--mantine-color-error)">
          {problem.code === 'unknownField' ? texts.removed : texts.outdated(reasonText(problem))}.
        </Text>
      )}
      {matches && `${texts.matches(matches.matches, matches.of)}.`}
    </Text>
  );
}
