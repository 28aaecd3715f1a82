// The types of tables and queries, for tsc.

interface Column<Item> {
  key: string;
  label: string;
  /** Pixels at the usual text size. */
  width: number;
  /** What it grows to in a table with room to spare. */
  roomyWidth?: number;
  number?: boolean;
  bar?: boolean;
  on?: boolean;
  /** It stays in view when the table is scrolled sideways. */
  frozen?: boolean;
  /** It comes last on a phone. */
  minor?: boolean;
  /** Its width on a phone and beside an open panel, if that is another one. */
  narrowWidth?: number;
  /** Its width on a phone alone, where it has no bar. */
  phoneWidth?: number;
  /** In a card it has the room of two values; if it is not stated, its width decides. */
  double?: boolean;
  /** Its heading on a phone. */
  shortLabel?: string;
  value: (item: Item) => any;
  show?: (value: any) => string;
  /** All that a cell says, where that is more than its value; its width follows it. */
  text?: (item: Item) => string;
}

/** A column with its width, and its left edge if it stays in view. */
interface PlacedColumn<Item> {
  column: Column<Item>;
  label: string;
  width: number;
  left: number | null;
  /** Whether it is the last one that stays in view. */
  isEdge?: boolean;
}

/** What a page says of a finding, for an issue. */
interface IssueParts {
  headline: string;
  savings: string;
  facts: string[];
  texts: string[][];
  address: string;
}

/** A property that chips above a table filter by. */
interface Facet<Item> {
  term: string;
  /** Of the record's only value that the values depend on. */
  key?: string;
  label: string;
  values: (item: Item) => Iterable<string>;
  /** What a value is called. */
  name?: (value: string) => string;
  /** The number of values from which on there are chips; 2 if not given. */
  fewest?: number;
}

/** What the query language knows of an item. */
interface Terms<Item> {
  /** The percentage that "time>1%" means. */
  share: (item: Item) => number | null | undefined;
  /** All texts of an item, in lower case. */
  plain: (data: any, item: Item) => string;
  /** What a regular expression is matched with. */
  title: (item: Item) => string;
  /** The names of texts that are compared as a whole. */
  exact: Set<string>;
  texts: Record<string, (item: Item, data: any) => string[]>;
  figures: Record<string, (item: Item) => number | null | undefined>;
}
