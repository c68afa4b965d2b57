import type { privacy as en } from '../en/privacy.tsx';
import { plural } from '../format.ts';

const eraseNote = (place: string) =>
  `Alles, was in ${place} zu dieser Person gespeichert ist, wird gelöscht: Datensätze mit ihren Dateien und ` +
  'Einwilligungen, Nachrichten im Posteingang, der Verlauf der Änderungen, zurückgehaltene Einsendungen und was Importe, ' +
  'E-Mails und Webhooks noch enthalten. Eine spätere Einsendung mit derselben E-Mail-Adresse legt einen neuen Datensatz an.';

export const privacy: typeof en = {
  title: 'Datenschutz',
  noteOfApp: (sourceAppId) => `Was in ${sourceAppId} zu einer Person gespeichert ist, zum Exportieren oder Löschen`,
  noteWithRetention: (sourceAppId) =>
    `Was in ${sourceAppId} zu einer Person gespeichert ist, zum Exportieren oder Löschen, und wie lange es bleibt`,
  noteOfAllApps: 'Was in allen Apps zu einer Person gespeichert ist, zum Exportieren oder Löschen',
  person: 'Daten einer Person',

  search: {
    label: 'E-Mail-Adresse oder ein Teil davon',
    find: 'Suchen',
    searching: 'Suche läuft …',
    found: (count) => plural(count, { one: '# Person gefunden', other: '# Personen gefunden' }),
    foundSoFar: (count) => plural(count, { one: 'Bisher # Person gefunden', other: 'Bisher # Personen gefunden' }),
    persons: 'Personen',
    noRecord:
      'Kein Datensatz. Andere Daten kann es trotzdem geben, etwa Nachrichten im Posteingang oder zurückgehaltene Einsendungen.',
    searchOn: 'Weitersuchen',
    showDataOf: (email) => `Daten von ${email} anzeigen`,
    showData: 'Daten anzeigen',
  },

  card: {
    dataOf: (email) => `Daten von ${email}`,
    export: 'Alles exportieren',
    erase: 'Alles endgültig löschen',
    eraseInAllApps: 'In allen Apps endgültig löschen',
    loading: 'Wird geladen',
    nothing: 'Zu dieser Person ist nichts gespeichert.',
    data: 'Gespeicherte Daten',
    kinds: {
      delivery: 'Ereignis für einen Webhook',
      mail: 'E-Mail in der Warteschlange',
      'import-line': 'Zeile eines Imports',
      'import-reject': 'Abgelehnte Zeile eines Imports',
      record: 'Datensatz',
      held: 'Zurückgehaltene Einsendung',
      history: 'Änderung im Verlauf',
      submission: 'Aufbewahrte Einsendung',
      change: 'Änderung vieler Datensätze',
      view: 'Gespeicherte Ansicht, die die Person nennt',
      condition: 'Bedingung, die die Person nennt',
      suppression: 'Sperre gegen erneuten Import',
    },
    inApp: (kind, sourceAppId) => `${kind} in ${sourceAppId}`,
    inAllApps: (kind) => `${kind} in allen Apps`,
    open: 'Öffnen',
    eraseInThisApp: 'In dieser App endgültig löschen',
    eraseInThisAppNamed: (sourceAppId) => `In dieser App endgültig löschen: ${sourceAppId}`,

    erased: 'Endgültig gelöscht',
    erasedCounts: {
      records: (count) => plural(count, { one: '# Datensatz', other: '# Datensätze' }),
      held: (count) => plural(count, { one: '# zurückgehaltene Einsendung', other: '# zurückgehaltene Einsendungen' }),
      deliveries: (count) => plural(count, { one: '# Zustellung', other: '# Zustellungen' }),
      mails: (count) => plural(count, { one: '# E-Mail', other: '# E-Mails' }),
      importLines: (count) => plural(count, { one: '# Importzeile', other: '# Importzeilen' }),
      submissions: (count) => plural(count, { one: '# aufbewahrte Einsendung', other: '# aufbewahrte Einsendungen' }),
      history: (count) => plural(count, { one: '# Änderung im Verlauf', other: '# Änderungen im Verlauf' }),
      changes: (count) =>
        plural(count, { one: '# Änderung vieler Datensätze', other: '# Änderungen vieler Datensätze' }),
      views: (count) => plural(count, { one: '# gespeicherte Ansicht', other: '# gespeicherte Ansichten' }),
      conditions: (count) => plural(count, { one: '# Bedingung', other: '# Bedingungen' }),
    },
    receipt: (id, time, erased) => (
      <>
        Beleg {id}, {time}: {erased}. Der Beleg enthält keine personenbezogenen Daten.
      </>
    ),
    receiptText: (id, at, erased) => `Endgültige Löschung ${id} am ${at}: ${erased}`,
    copyReceipt: 'Beleg kopieren',
  },

  members: {
    id: 'ID',
    email: 'E-Mail',
    schemaVersion: 'Schemaversion',
    createdAt: 'Erstellt',
    updatedAt: 'Geändert',
    confirmedAt: 'E-Mail bestätigt',
    consents: 'Einwilligungen',
    reason: 'Grund',
    at: 'Zeit',
    page: 'Seite',
    import: 'Import',
    line: 'Zeile',
    text: 'Text',
    purpose: 'Zweck',
    state: 'Status',
    type: 'Ereignis',
    record: 'Datensatz',
    attempts: 'Versuche',
    ms: 'Millisekunden',
    status: 'Status',
    error: 'Fehler',
    response: 'Antwort',
    revision: 'Revision',
    by: 'Herkunft',
    changes: 'Änderungen',
    set: 'Neue Werte',
    unset: 'Entfernte Werte',
    name: 'Name',
    query: 'Filter',
    if: 'Bedingung',
    webhook: 'Webhook',
  },
  account: 'Jemand mit einem Konto',
  key: 'Ein API-Schlüssel',
  mailPurposes: {
    confirmation: 'Bestätigung der E-Mail-Adresse',
    change: 'Bestätigung einer Änderung',
    reply: 'Antwort auf eine Einsendung',
    entry: 'Link zum Eintrag',
    each: 'Benachrichtigung über eine Einsendung',
    summary: 'Zusammenfassung mehrerer Einsendungen',
    digest: 'Tägliche Zusammenfassung',
  },
  mailStates: {
    due: 'Noch nicht gesendet',
    summed: 'Teil einer Zusammenfassung',
    sent: 'Gesendet',
    failed: 'Konnte nicht gesendet werden',
    dropped: 'Nicht nötig',
  },
  searchFor: (text) => `Suche nach „${text}“`,

  erasing: {
    inAllApps: 'In allen Apps endgültig löschen',
    inApp: (sourceAppId) => `In ${sourceAppId} endgültig löschen`,
    noteInAllApps: eraseNote('allen Apps'),
    noteInApp: eraseNote,
    action: 'Endgültig löschen',
    suppress: 'Kein Import darf die Person zurückbringen',
    suppressNote: 'Gespeichert wird nur ein Hashwert der E-Mail-Adresse, der mit einem Schlüssel gebildet ist.',
  },

  retention: {
    title: 'Aufbewahrung',
    now: (setting) => `Aktuell: ${setting}`,
    erase: 'Personen automatisch endgültig löschen',
    days: 'Tage',
    countedFrom: 'Gerechnet ab',
    bases: { updatedAt: 'der letzten Änderung', createdAt: 'der Erstellung' },
    check: 'Prüfen und speichern',
    saved: 'Aufbewahrung gespeichert',
    kept: 'Personen bleiben gespeichert, bis jemand sie endgültig löscht.',
    erasedAfter: {
      updatedAt: (days) =>
        plural(days, {
          one: 'Personen werden # Tag nach der letzten Änderung endgültig gelöscht.',
          other: 'Personen werden # Tage nach der letzten Änderung endgültig gelöscht.',
        }),
      createdAt: (days) =>
        plural(days, {
          one: 'Personen werden # Tag nach der Erstellung endgültig gelöscht.',
          other: 'Personen werden # Tage nach der Erstellung endgültig gelöscht.',
        }),
    },

    counting: 'Die Personen, die gelöscht würden, werden gezählt …',
    appId: 'App-ID',
    save: 'Aufbewahrung speichern',
    noneNow: 'Für keine Person ist diese Frist schon abgelaufen. Personen werden gelöscht, sobald ihre Frist abläuft.',
    someNow: (count) => (
      <>
        Für <strong>{plural(count, { one: '# Person', other: '# Personen' })}</strong> ist diese Frist schon abgelaufen;
        sie {plural(count, { one: 'wird', other: 'werden' })} innerhalb einer Stunde endgültig gelöscht. Weitere folgen,
        sobald ihre Frist abläuft.
      </>
    ),
    manyNow: (count) => (
      <>
        Für <strong>{plural(count, { one: 'mindestens # Person', other: 'mindestens # Personen' })}</strong> ist diese
        Frist schon abgelaufen; sie {plural(count, { one: 'wird', other: 'werden' })} innerhalb einer Stunde endgültig
        gelöscht. Weitere folgen, sobald ihre Frist abläuft.
      </>
    ),
  },

  history: {
    title: 'Verlauf der Änderungen',
    saved: 'Einstellungen zum Verlauf gespeichert',
    savedNote: 'Sie gelten ab jetzt',
    note: 'Änderungen durch Ihr Team und durch Importe werden immer mit den vorherigen Werten aufbewahrt, damit sie rückgängig gemacht werden können.',
    submissions: 'Auch Einsendungen aufbewahren, wie sie eingegangen sind: im Posteingang und im Verlauf',
    days: 'Wie lange Änderungen und Einsendungen aufbewahrt werden',
    inDays: 'In Tagen',
    save: 'Einstellungen zum Verlauf speichern',
  },
};
