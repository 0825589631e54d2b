/** A message in every language that the sandbox speaks. */
export interface Text {
  readonly en: string
  readonly zh: string
}

export type Language = keyof Text

/** The language of an `Accept-Language` header that is wanted most and spoken here; English if there is none. */
export function chooseLanguage(header: string | undefined): Language {
  const wanted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { language: tag.split('-')[0], quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { language } of wanted) if (language === 'en' || language === 'zh') return language
  return 'en'
}
