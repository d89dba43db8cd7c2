// Colours written as functions of CSS, such as rgb(20, 40, 60) or oklch(70% 0.2 150), converted to the form of the contract (CSS Color 4).

type Three = readonly [number, number, number];

/** How the arguments of a function become sRGB, each from 0 to 1. `hundred`: what 100 % of each argument stands for; hues are in degrees. */
type ColourFunction = Readonly<{ hundred: Three; toRgb: (values: Three) => Three }>;

const rgb: ColourFunction = { hundred: [255, 255, 255], toRgb: ([red, green, blue]) => [red / 255, green / 255, blue / 255] };
const hsl: ColourFunction = { hundred: [360, 100, 100], toRgb: ([hue, saturation, light]) => fromHsl(hue, saturation / 100, light / 100) };
const functions: Readonly<Record<string, ColourFunction>> = {
  ...{ rgb, rgba: rgb, hsl, hsla: hsl },
  hwb: { hundred: [360, 100, 100], toRgb: ([hue, white, black]) => fromHwb(hue, white / 100, black / 100) },
  lab: { hundred: [100, 125, 125], toRgb: fromLab },
  lch: { hundred: [100, 150, 360], toRgb: (values) => fromLab(fromPolar(values)) },
  oklab: { hundred: [1, 0.4, 0.4], toRgb: fromOklab },
  oklch: { hundred: [1, 0.4, 360], toRgb: (values) => fromOklab(fromPolar(values)) },
};

/** `#rrggbb`, or `#rrggbbaa` where the colour has an opacity; null when the text is no such function with three or four numbers. */
export function readColourFunction(typed: string): string | null {
  const [, name = "", inside = ""] = /^([a-z]+)\(([^()]*)\)$/i.exec(typed) ?? [];
  const { hundred, toRgb } = functions[name.toLowerCase()] ?? {};
  if (!hundred || !toRgb) return null;
  const [first, second, third, opacity, ...others] = inside.trim().split(/[\s,/]+/);
  const values = [first, second, third].map((text, i) => readArgument(text, hundred[i] ?? 0));
  const alpha = opacity === undefined ? 1 : readArgument(opacity, 1);
  const [x, y, z] = values;
  if (x == null || y == null || z == null || alpha === null || others.length > 0) return null;
  const digits = [...toRgb([x, y, z]), alpha].map(toDigits);
  return `#${digits.slice(0, opacity === undefined ? 3 : 4).join("")}`;
}

const units: Readonly<Record<string, number>> = { "": 1, deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };

function readArgument(text: string | undefined, hundred: number): number | null {
  if (text?.toLowerCase() === "none") return 0;
  const [, digits = "", unit = ""] = /^([+-]?(?:\d+\.?\d*|\.\d+))(%|deg|grad|rad|turn)?$/i.exec(text ?? "") ?? [];
  if (digits === "") return null;
  return unit === "%" ? (Number(digits) / 100) * hundred : Number(digits) * (units[unit.toLowerCase()] ?? 1);
}

function toDigits(part: number): string {
  return Math.round(255 * Math.min(1, Math.max(0, part)))
    .toString(16)
    .padStart(2, "0");
}

/** CSS Color 4, 7.1. */
function fromHsl(hue: number, saturation: number, light: number): Three {
  const reach = saturation * Math.min(light, 1 - light);
  const part = (n: number) => {
    const k = (((n + hue / 30) % 12) + 12) % 12;
    return light - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [part(0), part(8), part(4)];
}

/** CSS Color 4, 8.1. */
function fromHwb(hue: number, white: number, black: number): Three {
  const sum = white + black;
  if (sum >= 1) return [white / sum, white / sum, white / sum];
  const mix = (part: number) => part * (1 - sum) + white;
  const [red, green, blue] = fromHsl(hue, 1, 0.5);
  return [mix(red), mix(green), mix(blue)];
}

function fromPolar([light, chroma, hue]: Three): Three {
  const angle = (hue * Math.PI) / 180;
  return [light, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

/** CIE Lab with the white of D50, and the matrix from there to linear sRGB. */
function fromLab([light, a, b]: Three): Three {
  const y = (light + 16) / 116;
  const decode = (part: number) => (part ** 3 > 216 / 24_389 ? part ** 3 : (116 * part - 16) * (27 / 24_389));
  const xyz: Three = [0.96422 * decode(y + a / 500), decode(y), 0.82521 * decode(y - b / 200)];
  return fromLinear(xyz, [
    [3.1338561, -1.6168667, -0.4906146],
    [-0.9787684, 1.9161415, 0.033454],
    [0.0719453, -0.2289914, 1.4052427],
  ]);
}

function fromOklab([light, a, b]: Three): Three {
  const cones: Three = [
    (light + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (light - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (light - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ];
  return fromLinear(cones, [
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.707614701],
  ]);
}

function fromLinear([x, y, z]: Three, [red, green, blue]: readonly [Three, Three, Three]): Three {
  const encode = (row: Three) => {
    const linear = row[0] * x + row[1] * y + row[2] * z;
    return linear > 0.0031308 ? 1.055 * linear ** (1 / 2.4) - 0.055 : 12.92 * linear;
  };
  return [encode(red), encode(green), encode(blue)];
}
