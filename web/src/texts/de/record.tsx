import type { record as en } from '../en/record.tsx';
import { formatNumber, plural } from '../format.ts';

export const record: typeof en = {
  users: 'Personen',
  neighbours: 'Personen der Liste',
  previous: 'Vorherige Person',
  next: 'Nächste Person',
  erase: 'Person endgültig löschen',
  editTitle: (email) => `${email} bearbeiten`,
  notFound: 'Person nicht gefunden',
  noSuchUser: 'Keine Person hat diese ID',
  goToUsers: 'Zu den Personen',
  notFoundNote: 'Die Person wurde vielleicht endgültig gelöscht oder gehört zu einer anderen App.',

  facts: 'Über diesen Datensatz',
  schemaVersion: 'Schemaversion',
  olderVersion: (version, newest) => `${version} (neueste: ${newest})`,
  confirmation: 'Bestätigung',
  confirmed: (time) => <>E-Mail bestätigt am {time}</>,
  notConfirmed: 'E-Mail nicht bestätigt',
  notAskedFor: 'Nicht verlangt',
  consents: 'Einwilligungen',
  noConsents: 'Keine erfasst',

  data: 'Daten',
  ofSchemaVersion: (version) => `Schemaversion ${version}`,
  ofOlderVersion: (version, newest) => `Schemaversion ${version} (neueste: ${newest})`,
  noSingleValues: 'Diese Schemaversion hat keine Felder mit einzelnen Werten.',
  otherData: 'Weitere Daten',
  notInVersion: (version) => `Nicht in Schemaversion ${version}`,
  removeKey: (key) => `${key} entfernen`,
  addFile: (field) => `Datei zu ${field} hinzufügen`,
  fileAdded: (name) => `${name} wurde hinzugefügt`,
  fileRefused: 'Die Datei wurde nicht hinzugefügt',
  removeFile: (name) => `Datei ${name} entfernen`,
  recordId: (id) => `ID des Datensatzes: ${id}`,
  requiredField: (key) => `${key} · Pflichtfeld`,

  noItems: 'Noch keine Einträge',
  showMore: (count, total) => `${formatNumber(count)} weitere von ${formatNumber(total)} anzeigen`,
  unknownTime: 'Unbekannte Zeit',
  removeItem: (time) => `Eintrag von ${time} entfernen`,
  emptyItem: 'Leerer Eintrag',

  change: 'Änderung',
  agreed: (consent, version) => `„${consent}“ zugestimmt (Version ${version})`,
  withdrew: (consent, version) => `„${consent}“ widerrufen (Version ${version})`,
  keyInVersion: (key, version) => `${key} · Schemaversion ${version}`,
  onPage: (page) => `Auf der Seite ${page}`,

  showLess: 'Weniger anzeigen',
  showAll: (characters) => `Alle ${formatNumber(characters)} Zeichen anzeigen`,

  erased: 'Person endgültig gelöscht',
  erasedNote: (email) => `Alle Daten von ${email} wurden gelöscht`,
  erasePermanently: 'Endgültig löschen',
  eraseNote:
    'Der Datensatz und alle Einträge seiner Listen werden aus der Datenbank gelöscht. Eine spätere Einsendung mit ' +
    'derselben E-Mail-Adresse legt einen neuen Datensatz an.',

  email: {
    title: 'E-Mail-Adresse ändern',
    label: 'Neue E-Mail-Adresse',
    action: 'E-Mail-Adresse ändern',
    changed: 'E-Mail-Adresse geändert',
    note:
      'Der Datensatz behält seine Daten, Einwilligungen und seinen Verlauf. Links, die an die alte Adresse ' +
      'gesendet wurden, enden, und die neue Adresse gilt als nicht bestätigt.',
    taken: 'Eine andere Person hat diese E-Mail-Adresse.',
    openOther: 'Deren Datensatz öffnen',
    changeAnyway: 'Die E-Mail-Adresse trotzdem ändern?',
  },

  changedByPerson: 'Zuletzt von der Person geändert',
  entryLink: {
    action: 'Link zum eigenen Eintrag senden',
    sent: 'Link gesendet',
    sentNote: (email: string) => `${email} erhält eine E-Mail mit einem Link zum Eintrag. Er gilt 24 Stunden.`,
    notSent: 'Es wurde kein Link gesendet',
    off: 'Personen dieser App dürfen mit ihrem Eintrag nichts tun. Ändern Sie das in den Einstellungen des Formulars.',
    tooMany:
      'Diese Person oder die App hat in dieser Zeit schon so viele E-Mails erhalten, wie erlaubt sind. Versuchen Sie es später.',
  },

  editing: {
    saved: 'Gespeichert',
    saveMine: 'Meine Werte speichern',
    conflict: 'Dieser Datensatz wurde inzwischen geändert',
    otherFields: 'Die Änderungen betreffen andere Felder. Speichern Sie erneut, um Ihre hinzuzufügen.',
    nowStored: 'Jetzt gespeichert:',
    takeStored: (count) =>
      plural(count, { one: 'Gespeicherten Wert übernehmen', other: 'Gespeicherte Werte übernehmen' }),
    changedMeanwhile: 'Der Datensatz wurde inzwischen geändert',

    noValue: 'Kein Wert',
    yes: 'Ja',
    no: 'Nein',
    dateNote: 'Ein Datum, oder Datum und Uhrzeit mit Zeitzone',

    removed: 'Entfernt',
    removeTitle: (key) => `${key} entfernen?`,
    removeItemTitle: (list) => `Eintrag aus „${list}“ entfernen?`,
    removeNote:
      'Das wird aus dem Datensatz entfernt. Im Verlauf bleibt es erhalten, sodass Sie es rückgängig machen können.',
    removeAnyway: 'Trotzdem entfernen?',
  },

  history: {
    title: 'Verlauf',
    nothing: 'Keine Änderungen durch Ihr Team oder durch Importe aufbewahrt',
    undoChange: (revision) => `Änderung ${revision} rückgängig machen`,
    showEarlier: 'Frühere Änderungen anzeigen',
    omitted: 'Zu groß für die Aufbewahrung',
    emailChanged: 'Geändert. Der Verlauf enthält keine Adressen.',
    notShown: 'Nicht angezeigt',
    removed: 'Entfernt',
    added: 'Hinzugefügt',
    before: 'Vorher:',
    after: 'Nachher:',
    nothingUndone: (reasons) => `Nichts wurde rückgängig gemacht: ${reasons}`,
    submitted: 'Eingesendet',
    person: 'Die Person',
    import: 'Import',
    scan: 'Virenscanner',
    sharedLogIn: 'Gemeinsame Anmeldung',
    undidChanges: (who) => `${who} hat Änderungen rückgängig gemacht`,
    undidImport: (who) => `${who} hat einen Import rückgängig gemacht`,
    undidChange: (who, revision) => `${who} hat Änderung ${revision} rückgängig gemacht`,
    manyAtOnce: (who) => `${who}, viele Personen auf einmal`,

    undone: 'Rückgängig gemacht',
    undoneNote: 'Die Werte vor der Änderung sind gespeichert',
    tooManyFollowed: 'Danach gab es zu viele Änderungen; sehen Sie im Verlauf der Person nach',
    notUndone: 'Nicht rückgängig gemacht',
    changeStored: (email) => `Die Änderung von ${email} ist gespeichert`,
  },
};
