/** The error codes of the document: the HTTP status that each travels with, and what it says when nothing better is known. */
export const codes = {
  InvalidParameter: [400, 'A parameter is missing or malformed.', '参数缺失或格式错误。'],
  BadRequest: [400, 'The request could not be understood.', '无法理解该请求。'],
  InvalidContentType: [
    400,
    'Content-Type must be application/json.',
    'Content-Type 必须为 application/json。',
  ],
  ResourceNotFound: [400, 'The resource does not exist.', '资源不存在。'],
  NoLicense: [400, 'The license does not cover this operation.', '当前许可不支持该操作。'],
  ReferenceExist: [400, 'The resource is still referred to.', '资源仍被引用。'],
  Unauthorized: [401, 'The app_key is missing or invalid.', 'app_key 缺失或无效。'],
  BalanceNotEnough: [402, 'The balance is not sufficient.', '余额不足。'],
  AccessDenied: [403, 'The key lacks the permission.', '没有操作权限。'],
  RouteNotFound: [404, 'There is no such route.', '路由不存在。'],
  MethodNotAllowed: [405, 'The method is not allowed; use POST.', '不支持该请求方法，请使用 POST。'],
  UndonedOrderExist: [409, 'An order is still in progress.', '存在未完成的订单。'],
  EntityTooLarge: [413, 'The request body is too large.', '请求体过大。'],
  RequestLocked: [423, 'Another request holds the resource.', '资源正被其他请求占用。'],
  RequestVerifyRequired: [428, 'The request needs to be verified.', '该请求需要验证。'],
  DangerousOperation: [428, 'The operation is dangerous and needs to be confirmed.', '危险操作，需要确认。'],
  RequestTooFrequently: [429, 'Requests come too frequently; try again later.', '请求过于频繁，请稍后重试。'],
  InternalError: [500, 'An unexpected error happened.', '服务内部错误。'],
  ServiceUnavailable: [503, 'The service is not available at the moment.', '服务暂不可用。'],
} as const

export type Code = keyof typeof codes

/** The status of any code; one that the document does not list is a plain 400. */
export function statusOf(code: string): number {
  return code in codes ? codes[code as Code][0] : 400
}

/** What a code says when nothing better is known. */
export function usualText(code: Code): Text {
  const [, en, zh] = codes[code]
  return { en, zh }
}

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
