import type { users as en } from '../en/users.tsx';
import { formatNumber, plural } from '../format.ts';
import { common } from './common.tsx';

const matching = (count: number) => plural(count, { one: '# passende Person', other: '# passende Personen' });
const selected = (count: number) => plural(count, { one: '# ausgewählte Person', other: '# ausgewählte Personen' });

export const users: typeof en = {
  unread: 'Seit Ihrem letzten Besuch geändert',
  title: 'Personen',
  note: (sourceAppId) => `Personen mit Einsendungen an ${sourceAppId}`,
  import: 'Importieren',
  list: 'Liste der Personen',
  notDirectly: 'Diese Seite kann nicht direkt geöffnet werden',
  notDirectlyNote:
    'In dieser Sortierung hat die Liste zu viele Personen. Gehen Sie zur ersten Seite, und öffnen Sie die nächsten ' +
    'Seiten von dort.',
  firstPage: 'Zur ersten Seite',
  emptyPage: 'Keine Personen auf dieser Seite',
  fewerPages: 'Die Liste hat weniger Seiten.',
  noMatch: 'Keine passenden Personen',
  noMatchNote:
    'Alle Filter müssen zutreffen. Ein Filter mit „ist“ findet nur den genauen Wert; die Suche findet Wortanfänge.',
  showAll: 'Alle Personen anzeigen',
  none: 'Noch keine Personen',
  noneNote: 'Personen erscheinen hier, wenn ein Formular sie einsendet oder Sie eine Datei importieren.',
  importFile: 'Datei importieren',
  connect: 'Formular teilen',

  table: 'Tabelle der Personen',
  newUsers: (count) => plural(count, { one: '# neue Person', other: '# neue Personen' }),
  select: (email) => `${email} auswählen`,
  editInTable: 'In der Tabelle bearbeiten',
  editCell: (field, email) => `, ${field} von ${email} bearbeiten`,
  editUser: (email) => `${email} bearbeiten`,
  chooseColumns: 'Spalten auswählen',
  shownColumns: 'Angezeigte Spalten',

  index: (field) => `Index für ${field} anlegen`,
  askForIndex: (field) => `Ein Administrator kann einen Index für ${field} anlegen.`,

  places: {
    filter: (words) => `Der Filter „${words}“`,
    parts: {
      where: 'Der Filter',
      sort: 'Die Sortierung',
      order: 'Die Sortierung',
      q: 'Die Suche',
      cursor: 'Die Seite',
    },
    link: 'Der Link',
  },

  countingMatches: 'Passende Personen werden gezählt …',
  noMatchLeft: 'Jetzt gibt es keine passenden Personen.',

  statistics: {
    title: 'Statistik',
    ofMatching: 'Statistik der passenden Personen',
    users: 'Personen',
    matching: 'Passende Personen',
    newIn: (days) => `Neu in ${formatNumber(days)} Tagen`,
    lastSubmission: 'Letzte Einsendung',
    allOn: 'Alle erstellt am',
    chart: (timeZone) => `Neue Personen pro Tag (${timeZone})`,
  },

  search: {
    progress: 'Die Suche wird beschleunigt',
    progressOf: (done, total) => `Die Suche wird beschleunigt: ${formatNumber(done)} von ${common.users(total)}`,
    progressNext: 'Bis dahin liest eine Suche die Daten aller Personen. Sie können diese Seite verlassen.',
    index: 'Suchindex',
    note: 'Eine Suche liest die Daten aller Personen.',
    enable: 'Suche beschleunigen',
    isOn: 'Eine Suche verwendet einen Index.',
    disable: 'Index entfernen',
  },

  summary: {
    all: {
      exact: (count) => plural(count, { one: '# Person', other: 'Alle # Personen' }),
      moreThan: (count) => `Mehr als ${common.users(count)}`,
      atLeast: (count) => `Mindestens ${common.users(count)}`,
    },
    matching: {
      exact: matching,
      moreThan: (count) => `Mehr als ${matching(count)}`,
      atLeast: (count) => `Mindestens ${matching(count)}`,
    },
    countExactly: 'Genau zählen',
    counting: 'Wird gezählt …',
    noTime: 'Die Zeit reichte nicht, um alle zu zählen.',
    searched: (matches) =>
      `Ein Teil der Datensätze ist durchsucht: bisher ${formatNumber(matches)} Treffer auf dieser Seite`,
    stop: 'Anhalten',
    continue: 'Fortsetzen',
    sortedInPart:
      'Die Zeit reichte nicht, um alle Personen zu sortieren. Diese Seite sortiert die gelesenen; die nächsten Seiten ' +
      'zeigen die anderen.',
    sortedByText:
      'In dieser Reihenfolge kommen Buchstaben wie ä und é nach z. Groß- und Kleinbuchstaben zählen gleich.',
    indexSortsAll: 'Mit einem Index werden alle Personen sortiert.',
    notAPage: 'Der Dienst hat statt einer Seite die ganze Liste gesendet',
  },

  pages: {
    of: (range, total) => `${range} von ${formatNumber(total)}`,
    ofMoreThan: (range, total) => `${range} von mehr als ${formatNumber(total)}`,
    number: 'Seitenzahl',
    go: 'Öffnen',
  },

  filters: {
    search: 'Alle Daten durchsuchen',
    add: 'Filtern',
    title: 'Filter',
    remove: (filter) => `Filter entfernen: ${filter}`,
    removeAll: 'Alle Filter entfernen',

    field: 'Feld',
    condition: 'Bedingung',
    from: 'Von',
    to: 'Bis',
    apply: 'Anwenden',
    values: 'Werte',
    value: 'Wert',
    chooseValue: 'Wert auswählen',
    commas: 'Durch Kommas getrennt. Für ein Komma in einem Wert \\, schreiben',
    separated: { ',': 'Durch Kommas getrennt', ';': 'Durch Semikolons getrennt' },
    date: 'Datum',
    daysBegin: 'Tage beginnen um 00:00 Uhr UTC',
    number: 'Zahl',
    notNumber: 'Muss eine Zahl sein',
    text: 'Text',

    schemaVersion: 'Schemaversion',
    yes: 'Ja',
    no: 'Nein',
    comparisons: {
      isEmpty: 'ist leer',
      isNotEmpty: 'ist nicht leer',
      is: 'ist',
      isNot: 'ist nicht',
      isOneOf: 'ist eines von',
      contains: 'enthält',
      beginsWith: 'beginnt mit',
      includes: 'enthält',
      includesOneOf: 'enthält eines von',
      atLeast: 'mindestens',
      atMost: 'höchstens',
      moreThan: 'mehr als',
      lessThan: 'weniger als',
      between: 'zwischen',
      on: 'am',
      notOn: 'nicht am',
      before: 'vor dem',
      onOrBefore: 'am oder vor dem',
      after: 'nach dem',
      onOrAfter: 'am oder nach dem',
      exists: 'ist vorhanden',
      doesNotExist: 'ist nicht vorhanden',
    },
    conditionOf: (field, comparison) => `${field} ${comparison}`,
    conditionOfValue: (field, comparison, value) => `${field} ${comparison} ${value}`,
  },

  views: {
    title: 'Ansichten',
    current: (view) => `Ansicht: ${view}`,
    shared: 'Geteilte Ansichten',
    own: 'Meine Ansichten',
    note: 'Eine Ansicht enthält die Filter, die Suche, die Sortierung und die Spalten.',
    copyLink: 'Link zu dieser Ansicht kopieren',
    renameTitle: 'Ansicht umbenennen',
    rename: 'Umbenennen',
    keep: 'Nur für mich behalten',
    share: 'Mit allen in der App teilen',
    outdated: 'Diese Ansicht wurde inzwischen von jemand anderem geändert',
    outdatedNote: 'Öffnen Sie sie erneut, um die Änderung zu sehen, oder überschreiben Sie sie mit Ihrer Ansicht.',
    overwrite: 'Mit meiner Ansicht überschreiben',
    update: (view) => `„${view}“ aktualisieren`,
    saveAs: 'Diese Ansicht speichern als',

    unknown: 'Diese Ansicht kann nicht geöffnet werden',
    unknownNote:
      'Sie wurde gelöscht, oder sie gehört jemand anderem. Geteilte Ansichten können alle in der App öffnen.',
    incomplete: (view) => `„${view}“ wurde unvollständig geöffnet`,
    incompleteNote: 'Das Formular hat diese Felder nicht mehr, oder sie haben einen anderen Typ:',
    linkIncomplete: 'Teile dieses Links wurden weggelassen',
    linkIncompleteNote:
      'Das Formular hat diese Felder nicht: Sie wurden umbenannt oder entfernt. Der Rest des Links wird gezeigt.',
    missing: {
      where: (filter) => `Filter: ${filter}`,
      columns: (column) => `Spalte: ${column}`,
      sort: (field) => `Sortierung nach ${field}`,
      by: (field) => `Aufschlüsselung nach ${field}`,
    },
  },

  breakdown: {
    by: 'Aufschlüsseln nach',
    choose: 'Aufschlüsseln …',
    title: (field) => `Aufschlüsselung nach ${field}`,
    countAll: 'Alle Personen zählen',
    of: (count) => `Grundlage: ${common.users(count)}.`,
    ofPart: (count) =>
      plural(count, {
        one: 'Die Zeit reichte nicht, um alle zu zählen: Dies zeigt die # gelesene Person.',
        other: 'Die Zeit reichte nicht, um alle zu zählen: Dies zeigt die # gelesenen Personen.',
      }),
    limited: 'Es gibt zu viele verschiedene Werte, um die häufigsten sicher zu bestimmen.',
    press: 'Wählen Sie einen Balken aus, um zu filtern.',
    timeZone: (timeZone) => `Zeitzone: ${timeZone}.`,
    noMatch: 'Keine passenden Personen.',

    bar: (value, count, share) => `${value}: ${common.users(count)}, ${share}`,
    otherValues: 'Andere Werte',
    noValue: 'Kein Wert',
    range: (from, to) => `${from} bis unter ${to}`,
  },

  export: {
    selected: 'Auswahl exportieren',
    users: 'Personen',
    started: 'Export gestartet',
    startedNote: (users) =>
      `Ihr Browser lädt herunter: ${users}. Seine Liste der Downloads zeigt, wann die Datei vollständig ist`,
    saved: 'Export gespeichert',
    savedNote: (users) => `Ihr Browser hat gespeichert: ${users}`,
    spreadsheets: 'CSV für Tabellenkalkulationen',
    semicolons: 'Mit Semikolons und Byte-Order-Mark, wie Excel es in Ihrer Sprache erwartet',
    commas: 'Mit Kommas und Byte-Order-Mark, wie Excel es in Ihrer Sprache erwartet',
    programs: 'CSV für Programme',
    json: 'JSON (ein Array)',
    ndjson: 'NDJSON (eine Person pro Zeile)',
    zip: 'ZIP (CSV und alle Dateien)',
    options: 'Optionen für CSV',
    onlyShown: 'Nur die Spalten der Tabelle',
    labels: 'Beschriftungen als Spaltenköpfe',
  },

  change: {
    open: 'Feld ändern',
    title: 'Ein Feld vieler Personen ändern',
    field: 'Feld',
    chooseField: 'Feld auswählen',
    newValue: 'Neuer Wert',
    changes: (count) => `Ändert den Wert bei ${common.users(count)}. Das kann rückgängig gemacht werden.`,
    removes: (count) => `Entfernt den Wert bei ${common.users(count)}. Das kann rückgängig gemacht werden.`,
    action: (count) => `${common.users(count)} ändern`,
    removeAction: (count) => `Wert bei ${common.users(count)} entfernen`,

    preview: 'Vorschau',
    now: 'Jetzt',
    after: 'Danach',
    more: (count) => `und ${formatNumber(count)} weitere`,

    processed: 'Bearbeitete Personen',
    leftTitle: 'Unverändert gelassen',
    refusedTitle: 'Nicht geändert',
    stop: 'Anhalten',
    failed: (reason) => `Fehlgeschlagen: ${reason}.`,
    changing: (done, total) => `Wird geändert: ${formatNumber(done)} von ${common.users(total)}`,
    changingNext:
      'Sie können diese Seite verlassen: Die Änderung läuft weiter. Sobald sie beendet ist, können Sie sie rückgängig machen.',
    undoingNext: 'Sie können diese Seite verlassen: Das Rückgängigmachen läuft weiter.',
    stoppingNext:
      'Die Änderung wird angehalten. Schon geänderte Personen bleiben geändert, bis Sie die Änderung rückgängig machen.',
    changed: (count) => `${common.users(count)} geändert.`,
    hadValue: (count) =>
      plural(count, { one: '# Person hatte diesen Wert schon.', other: '# Personen hatten diesen Wert schon.' }),
    hadNone: (count) => plural(count, { one: '# Person hatte keinen Wert.', other: '# Personen hatten keinen Wert.' }),
    recent: 'Letzte Sammeländerungen',
    removed: 'entfernt',
    refused: (count) => `${common.users(count)} nicht geändert.`,
    stopped: (done, total, changed) =>
      `Nach ${formatNumber(done)} von ${common.users(total)} angehalten; ${formatNumber(changed)} geändert.`,
    undoing: (done, total) => `Wird rückgängig gemacht: ${formatNumber(done)} von ${common.users(total)}`,
    undone: (count) => `Rückgängig gemacht: ${common.users(count)} wiederhergestellt.`,
    left: (count) => `${common.users(count)} unverändert gelassen.`,
    undoStopped: (done, total) =>
      `Das Rückgängigmachen wurde nach ${formatNumber(done)} von ${common.users(total)} angehalten.`,
  },

  selection: {
    selectAll: 'Alle angezeigten Personen auswählen',
    selected,
    selectedMost: (count, most) => `${selected(count)} (höchstens ${formatNumber(most)})`,
    clear: 'Auswahl aufheben',
    erase: 'Auswahl endgültig löschen',
  },

  erasure: {
    open: 'Passende Personen endgültig löschen',
    title: 'Personen endgültig löschen',
    titleSelected: 'Ausgewählte Personen endgültig löschen',
    number: 'Anzahl der Personen',
    action: (count) => `${common.users(count)} endgültig löschen`,
    note: (count) =>
      plural(count, {
        one:
          'Das löscht den Datensatz der # passenden Person aus der Datenbank. Wer inzwischen hinzukommt, bleibt ' +
          'erhalten.',
        other:
          'Das löscht die Datensätze aller # passenden Personen aus der Datenbank. Wer inzwischen hinzukommt, bleibt ' +
          'erhalten.',
      }),
    noteSelected: (count, emails) =>
      `${plural(count, {
        one: 'Das löscht den Datensatz von # ausgewählten Person aus der Datenbank',
        other: 'Das löscht die Datensätze von # ausgewählten Personen aus der Datenbank',
      })}: ${emails}.`,
    noteMore: (count, emails, others) =>
      `Das löscht die Datensätze von ${formatNumber(count)} ausgewählten Personen aus der Datenbank: ${emails} und ` +
      `${formatNumber(others)} weitere.`,
    erased: 'Personen endgültig gelöscht',
    erasedNote: (count) => plural(count, { one: '# Person wurde gelöscht', other: '# Personen wurden gelöscht' }),

    erasing: (count) =>
      plural(count, { one: '# Person wird endgültig gelöscht …', other: '# Personen werden endgültig gelöscht …' }),
    erasingNext:
      'Lassen Sie diese Seite bis zum Ende geöffnet. „Abbrechen“ hält das Löschen an; bereits gelöschte Personen bleiben ' +
      'gelöscht.',
    stopped: 'Löschen angehalten',
    stoppedNote: 'Die Liste zeigt die verbliebenen Personen',

    running: 'Personen werden gelöscht',
    done: (count) => `${common.users(count)} gelöscht`,
    progress: (gone, total) =>
      plural(gone, {
        one: `# von ${formatNumber(total)} Personen ist gelöscht.`,
        other: `# von ${formatNumber(total)} Personen sind gelöscht.`,
      }),
    keepOpen: 'Lassen Sie diese Seite bis zum Ende geöffnet.',
    notTried: (count) =>
      plural(count, {
        one: 'Das Löschen endete vor # weiteren Person.',
        other: 'Das Löschen endete vor # weiteren Personen.',
      }),
    staySelected: 'Nicht gelöschte Personen bleiben ausgewählt: Sie können es erneut versuchen.',
    bar: 'Gelöschte Personen',
    failed: (count) =>
      plural(count, {
        one: '# Person konnte nicht gelöscht werden',
        other: '# Personen konnten nicht gelöscht werden',
      }),
    stop: 'Anhalten',
  },
};
