import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../components/copy-button.tsx';
import { CrossIcon, ViewsIcon } from '../components/icons.tsx';
import { type ListParameters, writeList } from './list/list-parameters.ts';
import classes from './saved-views.module.css';

const MAX_VIEWS = 50;
const MAX_NAME = 60;

/** A view of the list with a name: the query of its URL. */
interface SavedView {
  name: string;
  query: string;
}

interface SavedViewsProps {
  sourceAppId: string;
  parameters: ListParameters;
  /** The columns that the list shows, which a link names. */
  columns: readonly string[];
  /** The path of the list. */
  path: string;
}

/** Keeps views by name, in this browser, with links to the current one. */
export function SavedViews({ sourceAppId, parameters, columns, path }: SavedViewsProps) {
  const [opened, setOpened] = useState(false);
  const [views, setViews] = useLocalStorage<SavedView[]>({
    key: `views of ${sourceAppId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const query = new URLSearchParams(writeList({ ...parameters, columns, page: 1 })).toString();
  const link = new URL(`${import.meta.env.BASE_URL.replace(/\/$/, '')}${path}?${query}`, window.location.href).href;
  const save = (name: string): void =>
    setViews((before) => [...before.filter((view) => view.name !== name), { name, query }].slice(-MAX_VIEWS));
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus returnFocus position="bottom-end" width={300}>
      <Popover.Target>
        <Button variant="default" leftSection={<ViewsIcon size={16} />} onClick={() => setOpened(!opened)}>
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Views">
        <Stack gap="sm">
          {views.length > 0 && (
            <ul className={classes.list} aria-label="Saved views">
              {views.map((view) => (
                <li key={view.name} className={classes.view}>
                  <Link
                    href={`${path}?${view.query}`}
                    className={classes.name ?? ''}
                    aria-current={view.query === query}
                    onClick={() => setOpened(false)}
                  >
                    {view.name}
                  </Link>
                  <button
                    type="button"
                    className={classes.remove}
                    aria-label={`Remove view: ${view.name}`}
                    onClick={() => setViews((before) => before.filter(({ name }) => name !== view.name))}
                  >
                    <CrossIcon size={14} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <SaveForm onSave={save} />
          <Text size="xs" c="dimmed">
            A view holds the filters, the search, the order and the columns. Views with a name are kept in this browser.
            Share one by its link.
          </Text>
          <CopyButton text={link} label="Copy link to this view" />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function SaveForm({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label="Save this view as"
          className={classes.input ?? ''}
          maxLength={MAX_NAME}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  );
}
