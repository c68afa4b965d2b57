import { Button, Popover } from '@mantine/core';
import { Suspense, useState } from 'react';
import { CrossIcon, FilterIcon } from '../../components/icons.tsx';
import { loadLater } from '../../components/page/load-later.tsx';
import { SearchBox } from '../../components/table/search-box.tsx';
import { t } from '../../texts/texts.ts';
import type { ChangeList, ListParameters } from '../list/list-parameters.ts';
import { type Condition, conditionText, conditionWords, parseCondition, type Target, targetOf } from './condition.ts';
import classes from './filters.module.css';

const form = loadLater(() => import('./condition-form.tsx').then(({ ConditionForm }) => ConditionForm));

/** The most conditions of a query. */
const MAX_CONDITIONS = 20;

interface FilterBarProps {
  parameters: ListParameters;
  change: ChangeList;
  targets: readonly Target[];
}

/** The search and the conditions of the list. */
export function FilterBar({ parameters: { q, where }, change, targets }: FilterBarProps) {
  form.usePreload();
  const replace = (index: number, by: readonly Condition[]): void => {
    const next = [...where.slice(0, index), ...by.map(conditionText), ...where.slice(index + 1)];
    change({ where: [...new Set(next)] });
  };
  return (
    <search className={classes.bar}>
      <SearchBox label={t.users.filters.search} value={q} onChange={(text) => change({ q: text })} />
      <ConditionButton
        targets={targets}
        label={t.users.filters.add}
        disabled={where.length >= MAX_CONDITIONS}
        onApply={(conditions) => replace(where.length, conditions)}
      />
      {where.length > 0 && (
        <ul className={classes.chips} aria-label={t.users.filters.title}>
          {where.map((text, index) => {
            const condition = parseCondition(text);
            const words = conditionWords(condition, targetOf(condition.path, targets));
            return (
              <li key={text} className={classes.chip}>
                <ConditionButton
                  targets={targets}
                  label={words}
                  condition={condition}
                  onApply={(changed) => replace(index, changed)}
                />
                <button
                  type="button"
                  className={classes.remove}
                  aria-label={t.users.filters.remove(words)}
                  onClick={() => replace(index, [])}
                >
                  <CrossIcon size={14} />
                </button>
              </li>
            );
          })}
          {where.length > 1 && (
            <li>
              <Button variant="subtle" size="compact-sm" onClick={() => change({ where: [] })}>
                {t.users.filters.removeAll}
              </Button>
            </li>
          )}
        </ul>
      )}
    </search>
  );
}

interface ConditionButtonProps {
  targets: readonly Target[];
  label: string;
  condition?: Condition;
  disabled?: boolean;
  onApply: (conditions: Condition[]) => void;
}

function ConditionButton({ targets, label, condition, disabled = false, onApply }: ConditionButtonProps) {
  const [opened, setOpened] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const open = (isOpen: boolean): void => {
    setOpened(isOpen);
    setTouched(false);
  };
  const toggle = (): void => open(!opened);
  return (
    <Popover
      opened={opened}
      onChange={open}
      // What was typed ends with a button.
      closeOnClickOutside={!isTouched}
      closeOnEscape={!isTouched}
      trapFocus
      returnFocus
      position="bottom-start"
      width={280}
    >
      <Popover.Target>
        {condition ? (
          <button type="button" className={classes.words} onClick={toggle} title={label}>
            {label}
          </button>
        ) : (
          <Button variant="default" leftSection={<FilterIcon size={16} />} disabled={disabled} onClick={toggle}>
            {label}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown onInput={() => setTouched(true)}>
        <Suspense>
          <form.Part
            targets={targets}
            condition={condition}
            onCancel={() => open(false)}
            onApply={(next) => {
              open(false);
              onApply(next);
            }}
          />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
