/** Writes the files of the pages into a folder, `dist/console` by default, in the place of those of the last build. */
export function buildPages(folder?: string): Promise<void>
