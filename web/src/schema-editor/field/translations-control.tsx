import { Fieldset, Text, Textarea, TextInput } from '@mantine/core';
import { directionOf, languageName, useTranslatedLanguages } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import { labelsOf } from '../draft/form-options.ts';
import classes from './field-form.module.css';

interface TranslationsProps {
  label: string;
  error: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits a text in each language of the app, beside the others. */
export function TranslationsControl({
  label,
  error,
  value,
  onChange,
  isLong,
}: TranslationsProps & { isLong: boolean }) {
  const texts = labelsOf(value);
  const tags = useTranslatedLanguages(texts);
  if (tags.length === 0) return null;
  const Input = isLong ? Textarea : TextInput;
  return (
    <Fieldset legend={label}>
      <div className={classes.beside}>
        {tags.map((tag) => (
          <Input
            key={tag}
            label={languageName(tag)}
            aria-label={`${label}: ${languageName(tag)}`}
            lang={tag}
            dir={directionOf(tag)}
            value={texts[tag] ?? ''}
            onChange={(event) => onChange(withMember(texts, tag, event.currentTarget.value))}
          />
        ))}
      </div>
      <Problem text={error} />
    </Fieldset>
  );
}

/** Edits the labels of choices in each language of the app. */
export function ChoiceTranslations({
  label,
  error,
  value,
  choices,
  nameOf,
  onChange,
}: TranslationsProps & Pick<LabelsControlProps, 'choices' | 'nameOf'>) {
  const byTag = (value ?? {}) as Record<string, Record<string, string>>;
  const tags = useTranslatedLanguages(byTag);
  if (tags.length === 0) return null;
  return (
    <Fieldset legend={label}>
      <div className={classes.beside}>
        {tags.map((tag) => (
          <LabelsControl
            key={tag}
            label={languageName(tag)}
            choices={choices}
            nameOf={nameOf}
            value={byTag[tag]}
            onChange={(labels) => onChange(withMember(byTag, tag, labels))}
          />
        ))}
      </div>
      <Problem text={error} />
    </Fieldset>
  );
}

interface LabelsControlProps {
  label: string;
  description?: string | undefined;
  error?: string | undefined;
  /** The values that have labels. */
  choices: unknown;
  /** Names the text of one. Default: as the label of a choice. */
  nameOf?: ((value: string) => string) | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Edits a label for each choice of a field. Labels of other values are kept. */
export function LabelsControl({
  label,
  description,
  error,
  choices,
  nameOf = nameOfLabel,
  value,
  onChange,
}: LabelsControlProps) {
  const labels = labelsOf(value);
  const values = Array.isArray(choices) ? [...new Set(choices.map(String))] : [];
  return (
    <Fieldset legend={label}>
      <Text size="xs" c="dimmed">
        {description}
      </Text>
      {values.map((choice) => (
        <TextInput
          key={choice}
          mt="xs"
          label={nameOf(choice)}
          value={Object.hasOwn(labels, choice) ? labels[choice] : ''}
          onChange={(event) => onChange(withMember(labels, choice, event.currentTarget.value))}
        />
      ))}
      <Problem text={error} />
    </Fieldset>
  );
}

const nameOfLabel = (choice: string): string =>
  choice === '' ? t.schemaEditor.labelOfEmpty : t.schemaEditor.labelOf(choice);

/** Returns the members with one replaced; undefined when none is left. */
function withMember(members: Readonly<Record<string, unknown>>, name: string, value: unknown) {
  const { [name]: _, ...others } = members;
  const next = value === '' || value === undefined ? others : { ...members, [name]: value };
  return Object.keys(next).length === 0 ? undefined : next;
}

function Problem({ text }: { text: string | undefined }) {
  if (!text) return null;
  return <Text c="var(--mantine-color-error)">{text}</Text>;
}
