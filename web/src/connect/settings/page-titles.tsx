import { Fieldset, TextInput } from '@mantine/core';
import type { Field } from '../../api/endpoints.ts';
import { directionOf, languageName } from '../../languages/languages.ts';
import { conditionTexts as texts } from '../../schema-editor/draft/condition-texts.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { pagesOf, publicFields } from '../../schema-editor/draft/rules.ts';
import { pageTitlesIn, withPageTitle } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

interface PageTitlesProps {
  editor: SettingsEditor;
  fields: readonly Field[];
  /** The language that is shown; empty: the one of the texts. */
  tag: string;
}

/** Edits the titles of the pages of a form, and their translations. Absent for one page. */
export function PageTitles({ editor, fields, tag }: PageTitlesProps) {
  const { draft, problems, edit } = editor;
  const titles = pageTitlesIn(draft);
  const numbers = new Set([1, ...pagesOf(publicFields(fields)), ...titles.map(({ page }) => page)]);
  if (numbers.size === 1 && titles.length === 0) return null;
  const change = (page: number, lang: string) => (event: { currentTarget: { value: string } }) =>
    edit({ pages: withPageTitle(draft.pages, page, lang, event.currentTarget.value) });
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
                onChange={change(page, '')}
              />
              {tag !== '' && (
                <TextInput
                  mt="xs"
                  aria-label={texts.pageTitleIn(page, languageName(tag))}
                  placeholder={languageName(tag)}
                  lang={tag}
                  dir={directionOf(tag)}
                  value={given?.titles?.[tag] ?? ''}
                  onChange={change(page, tag)}
                />
              )}
            </div>
          );
        })}
    </Fieldset>
  );
}
