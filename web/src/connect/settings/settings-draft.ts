import type { FormSettings } from '../../api/endpoints.ts';
import { tabDrafts } from '../../drafts/tab-drafts.ts';
import type { SettingsInput, StoredSettings } from '../queries.ts';

/** The settings that this form edits, as the texts of its inputs. An empty text is unset. */
export interface SettingsDraft {
  title: string;
  description: string;
  submitLabel: string;
  thanks: string;
  next: string;
  locale: string;
  timeZone: string;
  botProtection: FormSettings['botProtection'];
  submitPerMinute: string;
  /** A local time of the reader, as in an `<input type="datetime-local">`. */
  closesAt: string;
  maxRecords: string;
}

export type SettingName = keyof SettingsDraft;

export const SETTING_NAMES: Readonly<Record<SettingName, string>> = {
  title: 'Title',
  description: 'Description',
  submitLabel: 'Button',
  thanks: 'Thank-you text',
  next: 'Page after the form',
  locale: 'Language',
  timeZone: 'Time zone',
  botProtection: 'Bot protection',
  submitPerMinute: 'Submissions per minute',
  closesAt: 'Closes at',
  maxRecords: 'Maximum number of records',
};

export function draftOf(settings: FormSettings): SettingsDraft {
  const { title, description, submitLabel, thanks, next, locale, timeZone, botProtection } = settings;
  return {
    title: title ?? '',
    description: description ?? '',
    submitLabel: submitLabel ?? '',
    thanks: thanks ?? '',
    next: next ?? '',
    locale: locale ?? '',
    timeZone: timeZone ?? '',
    botProtection,
    submitPerMinute: String(settings.submitPerMinute ?? ''),
    closesAt: settings.closesAt === null ? '' : localText(new Date(settings.closesAt)),
    maxRecords: String(settings.maxRecords ?? ''),
  };
}

/** The members that a draft changes, by name. */
export function changedNames(before: SettingsDraft, after: SettingsDraft): SettingName[] {
  return (Object.keys(SETTING_NAMES) as SettingName[]).filter((name) => before[name] !== after[name]);
}

/**
 * The settings to send: those of the draft, and the origins that are stored. Only changed members
 * are taken from the draft, because its texts are less exact than the stored values.
 */
export function settingsOf(stored: FormSettings, draft: SettingsDraft, changed: readonly SettingName[]): SettingsInput {
  const texts = Object.fromEntries(changed.map((name) => [name, sentValue(name, draft[name])]));
  return { ...stored, ...texts };
}

function sentValue(name: SettingName, text: string): string | number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (name === 'closesAt') return instantOf(trimmed);
  // The service explains what is wrong with any other text.
  if (name === 'submitPerMinute' || name === 'maxRecords') return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : trimmed;
  return name === 'description' || name === 'thanks' ? text : trimmed;
}

function instantOf(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

function localText(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** A draft with the stored settings that it is based on. */
export interface DraftState {
  base: StoredSettings;
  draft: SettingsDraft;
}

/** The drafts of the settings form. */
export const settingsDrafts = tabDrafts<DraftState>('form settings', 1);
