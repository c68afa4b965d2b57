import { ActionIcon, Menu } from '@mantine/core';
import { Link } from 'wouter';
import { MenuIcon } from '../components/icons.tsx';
import { t } from '../texts/texts.ts';
import { appPath, type Scope } from '../users/scope.ts';
import { FailureMark } from './failure-mark.tsx';
import type { Section } from './navigation.ts';
import classes from './section-tabs.module.css';

interface SectionTabsProps {
  app: Pick<Scope, 'sourceAppId'>;
  section: Section;
  /** The path of the page below that of the app. */
  path: string;
  /** What fails, in words, by the path of a page. */
  failures: Readonly<Record<string, string>>;
}

/** Links between the pages of one section. Rare ones are in a menu. */
export function SectionTabs({ app, section: { name, pages }, path, failures }: SectionTabsProps) {
  if (pages.length < 2) return null;
  const isCurrent = (page: string): boolean =>
    path === page || (page !== pages[0]?.path && path.startsWith(`${page}/`));
  const shown = pages.filter((page) => !page.isRare || isCurrent(page.path));
  const rare = pages.filter((page) => page.isRare);
  return (
    <nav className={classes.tabs} aria-label={name}>
      {shown.map((page) => (
        <Link
          key={page.path}
          href={appPath(app, page.path)}
          className={classes.tab ?? ''}
          aria-current={isCurrent(page.path) ? 'page' : undefined}
        >
          {page.name}
          {failures[page.path] !== undefined && (
            <FailureMark failure={failures[page.path] ?? ''} className={classes.mark} />
          )}
        </Link>
      ))}
      {rare.length > 0 && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" ml="auto" aria-label={t.shell.moreOf(name)}>
              <MenuIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {rare.map((page) => (
              <Menu.Item key={page.path} component={Link} href={appPath(app, page.path)}>
                {page.name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </nav>
  );
}
