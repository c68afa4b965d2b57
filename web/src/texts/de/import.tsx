import type { imports as en } from '../en/import.tsx';
import { formatNumber, plural } from '../format.ts';
import { common } from './common.tsx';

const result: typeof en.result = (read, created, updated, unchanged, rejected) =>
  plural(read, {
    one: `# Zeile: ${counts(created, updated, unchanged, rejected)}`,
    other: `# Zeilen: ${counts(created, updated, unchanged, rejected)}`,
  });

function counts(created: number, updated: number, unchanged: number, rejected: number): string {
  return (
    `${formatNumber(created)} angelegt, ${formatNumber(updated)} geändert, ` +
    `${formatNumber(unchanged)} unverändert, ${formatNumber(rejected)} abgelehnt`
  );
}

export const imports: typeof en = {
  users: 'Personen',
  title: 'Import',
  note: (app) =>
    `Personen von ${app} aus einer CSV- oder NDJSON-Datei anlegen und ändern. Eine Datei wird gelöscht, sobald ihr ` +
    'Import endet.',
  file: 'Datei',
  fileNote: 'CSV mit Kopfzeile, ein JSON-Objekt in jeder Zeile (UTF-8 oder UTF-16) oder das ZIP-Archiv eines Exports',
  chooseFile: 'Datei auswählen',
  removeFile: 'Datei entfernen',
  unreadable: 'Die Datei kann nicht gelesen werden',
  empty: 'Die Datei ist leer',
  fileIsSpreadsheet:
    'Die Datei ist eine Tabelle. Speichern Sie sie als CSV (in Excel: „CSV UTF-8“), und wählen Sie diese Datei aus',
  fileIsWindows1252:
    'Die Datei ist in Windows-1252 kodiert, nicht in UTF-8. Speichern Sie sie noch einmal in UTF-8 (in Excel: als ' +
    '„CSV UTF-8“), und wählen Sie diese Datei aus',
  noHeader: 'Die erste Zeile der Datei, die die Spalten nennt, kann nicht gelesen werden',
  invalidJson: 'Die ersten Zeilen der Datei sind kein gültiges JSON',
  nothing: 'Noch keine Importe',
  nothingNote:
    'Wählen Sie oben eine Datei aus. Bevor etwas gespeichert wird, ordnen Sie ihre Spalten zu und können einen Probelauf starten.',
  lastImports: 'Importe der letzten 30 Tage',

  isMapped: 'Jede Zeile enthält eine E-Mail-Adresse und die zugehörigen Daten, so wie ein Export sie schreibt.',
  modes: {
    upsert: 'Personen anlegen und ändern',
    insert: 'Nur Personen anlegen',
    update: 'Nur Personen ändern',
  },
  lists: 'Listen',
  arrays: {
    append: 'An Listen anfügen',
    replace: 'Listen ersetzen',
  },
  invalidLines: 'Ungültige Zeilen',
  invalid: {
    skip: 'Ungültige Zeilen auslassen',
    abort: 'Bei einer ungültigen Zeile anhalten',
  },
  omitValues: 'Unpassende Werte weglassen',
  omitValuesNote:
    'Die anderen Werte der Zeile werden importiert. Sonst wird die Zeile abgelehnt. Nicht bei Pflichtfeldern',
  numbers: 'Zahlen',
  proposed: 'Aus den Werten vorgeschlagen',
  dateFormat: 'Datumsformat',
  dateFormatNote: 'Zum Beispiel DD.MM.YYYY',
  timeZone: 'Zeitzone',
  timeZoneOfApp: 'Die Zeitzone der App',
  timeZoneOfBrowser: 'Die Ihres Browsers, für Uhrzeiten ohne Zone',
  timeZoneNote: 'Zum Beispiel Europe/Berlin',
  twoDateFormats: 'Die Datumsangaben der Datei lassen sich auf zwei Arten lesen',
  chooseFormat: (format) => `${format} verwenden`,
  sent: 'Gesendet',
  sending: 'Die Datei wird gesendet. Lassen Sie diese Seite geöffnet, bis der Import unten erscheint.',
  dryRun: 'Probelauf',
  start: 'Importieren',
  chooseEmail: 'Wählen Sie die Spalte mit der E-Mail-Adresse.',
  notStarted: 'Der Import wurde nicht gestartet',

  columns: 'Spalten der Datei',
  column: 'Spalte',
  field: 'Feld',
  firstValues: 'Erste Werte',
  fieldOf: (column) => `Feld zu ${column}`,
  leaveOut: 'Auslassen',
  leftOut: (count, columns) =>
    `${plural(count, { one: '# Spalte wird', other: '# Spalten werden' })} ausgelassen: ${columns}.`,
  addFields: (count, schema) =>
    count === 1 ? (
      <>Um auch sie zu importieren, wählen Sie ein Feld aus, oder fügen Sie zuerst unter {schema} ein Feld hinzu.</>
    ) : (
      <>
        Um auch sie zu importieren, wählen Sie jeweils ein Feld aus, oder fügen Sie zuerst unter {schema} Felder hinzu.
      </>
    ),
  askForFields: (count) =>
    plural(count, {
      one:
        'Um auch sie zu importieren, wählen Sie ein Feld aus, oder bitten Sie einen Verwalter der App um ein weiteres ' +
        'Feld.',
      other:
        'Um auch sie zu importieren, wählen Sie jeweils ein Feld aus, oder bitten Sie einen Verwalter der App um weitere ' +
        'Felder.',
    }),
  otherKeys: 'Weitere Daten (JSON)',

  settings: 'Einstellungen',
  settingsOf: (column) => `Einstellungen zu ${column}`,
  ofFile: 'Wie für die Datei',
  columnSettings: {
    dateFormat: 'Datumsformat',
    timeZone: 'Zeitzone',
    decimal: 'Zahlen',
    separator: 'Zwischen den Auswahlwerten',
    empty: 'Texte, die keinen Wert bedeuten',
    true: 'Texte, die Ja bedeuten',
    false: 'Texte, die Nein bedeuten',
  },
  columnNotes: {
    dateFormat: 'Zum Beispiel DD.MM.YY HH:mm',
    timeZone: 'Zum Beispiel Europe/Berlin',
    decimal: '',
    separator: 'Sonst ein Semikolon',
    empty: 'Mit Kommas getrennt, zum Beispiel k.A., unbekannt',
    true: 'Mit Kommas getrennt',
    false: 'Mit Kommas getrennt',
  },
  becomes: 'So werden die ersten Werte gelesen',
  becomesOf: (column) => `So werden die ersten Werte von ${column} gelesen`,
  unread: (count, all) =>
    `${formatNumber(count)} von den ersten ${plural(all, { one: '# Wert', other: '# Werten' })} nicht lesbar`,
  unreadOf: (column) => `Weitere nicht lesbare Werte von ${column}`,
  cannotBeRead: (problem) => `nicht lesbar: ${problem}`,
  noValue: 'kein Wert',

  createField: 'Feld anlegen',
  createFieldOf: (column) => `Feld anlegen aus ${column}`,
  createFields: (count) => plural(count, { one: 'Feld für # Spalte anlegen', other: 'Felder für # Spalten anlegen' }),
  createCount: (count) => plural(count, { one: '# Feld anlegen', other: '# Felder anlegen' }),
  createNote:
    'Namen, Arten und Auswahlwerte sind aus den ersten Zeilen der Datei vorgeschlagen. Die Felder werden sofort im ' +
    'Schema gespeichert.',
  newName: 'Name',
  newNameOf: (column) => `Name des Felds für ${column}`,
  newKind: 'Art',
  newKindOf: (column) => `Art des Felds für ${column}`,
  newChoices: 'Auswahlwerte, einer pro Zeile',
  newChoicesOf: (column) => `Auswahlwerte, einer pro Zeile, des Felds für ${column}`,
  noValues: 'Die ersten Zeilen haben keine Werte',
  fieldsOfStaff: 'Nur Ihr Team kann diese Felder setzen',
  fieldsOfStaffNote: 'Sonst fragen Formulare, die alle Felder zeigen, danach.',
  fieldsNotCreated: 'Die Felder wurden nicht angelegt',

  importOf: (name) => `Import von ${name}`,
  states: {
    uploading: 'Nicht gestartet',
    running: 'Läuft',
    completed: 'Abgeschlossen',
    aborted: 'Bei einer ungültigen Zeile angehalten',
    failed: 'Fehlgeschlagen',
  },
  allRejected: 'Alle Zeilen abgelehnt',
  refused: (count) =>
    `Es wurde nichts importiert: ${plural(count, { one: 'Die einzige Zeile wurde', other: 'Alle # Zeilen wurden' })} abgelehnt.`,
  dryRunRefused: (count) =>
    `Es würde nichts importiert: ${plural(count, { one: 'Die einzige Zeile würde', other: 'Alle # Zeilen würden' })} abgelehnt.`,
  omitted: (count) => `${plural(count, { one: '# Wert wurde', other: '# Werte wurden' })} weggelassen`,
  omittedValues: 'Weggelassene Werte',
  omit: 'Diese Werte weglassen',
  omitNote: 'Importiert die abgelehnten Zeilen noch einmal, ohne die unpassenden Werte.',
  omitDryRunNote: 'Prüft die Datei noch einmal, ohne die unpassenden Werte.',
  reasons: 'Gründe',
  reasonsOfFirst: (count) => `Gründe der ersten ${formatNumber(count)} abgelehnten Zeilen`,
  linesOfReason: (count, reason) => `${plural(count, { one: '# Zeile', other: '# Zeilen' })}: ${reason}`,
  rejectedLines: 'Abgelehnte Zeilen',
  stop: 'Anhalten und löschen',
  deleteEntry: 'Diesen Eintrag löschen',
  progress: 'Fortschritt des Imports',
  result,
  dryRunResult: (read, created, updated, unchanged, rejected) =>
    `Ein Import von ${plural(read, { one: '# Zeile', other: '# Zeilen' })} hätte dieses Ergebnis: ` +
    `${counts(created, updated, unchanged, rejected)}. Es wurde nichts gespeichert`,
  runningNext: 'Sie können diese Seite verlassen: Der Import läuft weiter, und sein Ergebnis erscheint hier.',
  uploadingNext:
    'Der Dienst hat noch nicht die ganze Datei. Wenn keine Seite sie gerade sendet, löschen Sie diesen Eintrag und ' +
    'importieren Sie die Datei erneut.',
  dryRunNextHere: 'Um die Personen zu speichern, drücken Sie oben „Importieren“.',
  dryRunNext: 'Um die Personen zu speichern, wählen Sie die Datei erneut aus und drücken Sie „Importieren“.',
  usersStay: 'Die Datei ist gelöscht. Die Personen bleiben, auch wenn Sie diesen Eintrag löschen.',
  firstRejected: 'Erste abgelehnte Zeilen',
  problem: (line, message) => `Zeile ${line}: ${message}`,
  more: (count) => `${formatNumber(count)} weitere`,
  deleteTitle: 'Diesen Import löschen?',
  deleteNote:
    'Die Datei und die abgelehnten Zeilen des Imports werden gelöscht. Die angelegten und geänderten Personen bleiben.',
  deleteRunningNote:
    'Der Import wird angehalten. Seine Datei und seine abgelehnten Zeilen werden gelöscht. Die angelegten und ' +
    'geänderten Personen bleiben.',
  deleteUndoingNote:
    'Das Rückgängigmachen wird angehalten und lässt sich nicht fortsetzen. Die Datei und die abgelehnten Zeilen des ' +
    'Imports werden gelöscht.',
  undoTitle: 'Diesen Import rückgängig machen?',
  undoNote:
    'Personen, die der Import angelegt hat, werden gelöscht, wenn sie seitdem niemand geändert oder gesendet hat. ' +
    'Bei anderen Personen kommen Werte, die der Import ersetzt hat, zurück, wenn sie seitdem gleich geblieben sind. ' +
    'Alles andere bleibt.',
  undoOnce: 'Das geht nur einmal, und gelöschte Personen lassen sich nicht wiederherstellen.',
  undoing: (done) => `Wird rückgängig gemacht: ${common.users(done)} bearbeitet`,
  undoingNext: 'Sie können diese Seite verlassen: Das Rückgängigmachen läuft weiter.',
  undoProgress: 'Fortschritt des Rückgängigmachens',
  undone: (erased, restored, kept) =>
    `Rückgängig gemacht: ${common.users(erased)} gelöscht, ${common.users(restored)} wiederhergestellt, ` +
    `${common.users(kept)} behalten.`,

  advice: {
    allRejected: (reason) => `Alle Zeilen wurden abgelehnt, Grund: ${reason}`,
    firstRejected: (count, reason) => `Alle Zeilen wurden abgelehnt, Grund bei den ersten ${count}: ${reason}`,
    exists: 'Diese Personen gibt es schon. Stellen Sie „Personen“ auf „Personen anlegen und ändern“.',
    missing: 'Diese Personen gibt es nicht. Stellen Sie „Personen“ auf „Personen anlegen und ändern“.',
    cells:
      'Die Zeilen und die Kopfzeile haben unterschiedlich viele Zellen. Korrigieren Sie die Kopfzeile, oder setzen ' +
      'Sie Zellen, die das Trennzeichen enthalten, in Anführungszeichen.',
    encoding: 'Speichern Sie die Datei als UTF-8, und importieren Sie sie erneut.',
    email: 'Wählen Sie die Spalte mit den E-Mail-Adressen: Die gewählte Spalte enthält andere Werte.',
    noDateFormat: (column) => `Stellen Sie „Datumsformat“ auf das Format von ${column} ein, zum Beispiel DD.MM.YYYY.`,
    dateFormat: (column, format) =>
      `Die Datumsangaben von ${column} haben nicht die Form ${format}. Geben Sie ein anderes „Datumsformat“ an.`,
    timeZone: 'Stellen Sie „Zeitzone“ auf die Zeitzone der Datei ein, zum Beispiel Europe/Berlin.',
    decimalPoint: 'Stellen Sie „Zahlen“ auf „1.5“.',
    decimalPointOrField: (column) => `Stellen Sie „Zahlen“ auf „1.5“, oder wählen Sie ein anderes Feld für ${column}.`,
    decimalComma: (column) =>
      `Stellen Sie „Zahlen“ auf „1,5“, wenn ${column} ein Dezimalkomma hat, oder wählen Sie ein anderes Feld dafür.`,
    required: (column) =>
      `Wählen Sie die Spalte der Datei für ${column}, oder stellen Sie „Personen“ auf „Nur Personen ändern“.`,
    choices: (column) =>
      `Das Feld hat die Werte von ${column} nicht. Ergänzen Sie sie im Schema, oder ändern Sie die Datei.`,
    other: 'Ändern Sie die Datei oder das Schema.',
  },
};
