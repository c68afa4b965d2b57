import type { common as en } from '../en/common.tsx';
import { plural } from '../format.ts';

export const common: typeof en = {
  cancel: 'Abbrechen',
  save: 'Speichern',
  delete: 'Löschen',
  remove: 'Entfernen',
  edit: 'Bearbeiten',
  add: 'Hinzufügen',
  close: 'Schließen',
  back: 'Zurück',
  next: 'Weiter',
  undo: 'Rückgängig machen',
  tryAgain: 'Erneut versuchen',
  showRecord: 'Datensatz anzeigen',
  email: 'E-Mail',
  name: 'Name',
  time: 'Zeit',
  created: 'Erstellt',
  updated: 'Geändert',
  apiKey: (name) => `API-Schlüssel ${name}`,
  deletedAccount: 'Gelöschtes Konto',
  deletedKey: 'Gelöschter API-Schlüssel',
  deletedWebhook: 'Gelöschter Webhook',
  users: (count) => plural(count, { one: '# Person', other: '# Personen' }),
  fields: (count) => plural(count, { one: '# Feld', other: '# Felder' }),
  items: (count) => plural(count, { one: '# Eintrag', other: '# Einträge' }),
  changes: (count) => plural(count, { one: '# Änderung', other: '# Änderungen' }),
  storedRecords: (count) => plural(count, { one: '# gespeicherter Datensatz', other: '# gespeicherte Datensätze' }),
  unsavedChanges: (count) =>
    plural(count, { one: '# nicht gespeicherte Änderung', other: '# nicht gespeicherte Änderungen' }),
  recoveryCodes: (count) => plural(count, { one: '# Wiederherstellungscode', other: '# Wiederherstellungscodes' }),
};
