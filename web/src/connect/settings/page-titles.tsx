import { Fieldset, Textarea, TextInput } from '@mantine/core';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, languageName } from '../../languages/languages.ts';
import { conditionTexts as texts } from '../../schema-editor/draft/condition-texts.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { pagesOf, publicFields } from '../../schema-editor/draft/rules.ts';
import { pageTitlesIn, withPageText } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

interface PageTitlesProps {
  editor: SettingsEditor;
  fields: readonly Field[];
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
}

/** Edits the texts of the pages of a form, and their translations. Absent for one page. */
export function PageTitles({ editor, fields, tag }: PageTitlesProps) {
  const { draft, problems, edit } = editor;
  const titles = pageTitlesIn(draft);
  const numbers = new Set([1, ...pagesOf(publicFields(fields)), ...titles.map(({ page }) => page)]);
  if (numbers.size === 1 && titles.length === 0) return null;
  const change = (page: number, lang: string, name: 'title' | 'description') => ({
    onChange: (event: { currentTarget: { value: string } }) =>
      edit({ pages: withPageText(draft.pages, page, lang, name, event.currentTarget.value) }),
  });
  const inLanguage = { placeholder: languageName(tag), lang: tag, dir: directionOf(tag), mt: 'xs' as const };
  return (
    <Fieldset legend={texts.pageTitles}>
      {[...numbers]
        .sort((one, other) => one - other)
        .map((page) => {
          const given = titles.find((one) => one.page === page);
          return (
            <div key={page}>
              <TextInput
                mt="xs"
                label={texts.pageTitle(page)}
                value={given?.title ?? ''}
                error={capitalize(problems[`pages.${given ? titles.indexOf(given) : ''}`])}
                {...change(page, '', 'title')}
              />
              {tag !== '' && (
                <TextInput
                  aria-label={texts.pageTitleIn(page, languageName(tag))}
                  value={given?.titles?.[tag] ?? ''}
                  {...inLanguage}
                  {...change(page, tag, 'title')}
                />
              )}
              <Textarea
                mt="xs"
                label={texts.pageDescription(page)}
                rows={2}
                value={given?.description ?? ''}
                {...change(page, '', 'description')}
              />
              {tag !== '' && (
                <Textarea
                  aria-label={texts.pageDescriptionIn(page, languageName(tag))}
                  rows={2}
                  value={given?.descriptions?.[tag] ?? ''}
                  {...inLanguage}
                  {...change(page, tag, 'description')}
                />
              )}
            </div>
          );
        })}
    </Fieldset>
  );
}
