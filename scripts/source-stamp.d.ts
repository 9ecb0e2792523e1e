/** File with the stamp of the sources that `dist` was built from; in a checkout only. */
export declare const stampFile: string;

/** Returns whether `dist` contains a complete build of the current sources. */
export declare function isBuildCurrent(): boolean;

/** Returns names, sizes and times of all sources except tests, in lines: they change with every edit and checkout. */
export declare function sourceStamp(): string;
