package restante.junit;

/** File attached to a message. */
public final class Attachment {
    private String id;
    private String fileName;
    private String contentType;
    private long length;
    private transient Api api;

    private Attachment() {}

    void use(Api connection) {
        api = connection;
    }

    /**
     * Returns the file name.
     *
     * @return the name; empty when there is none
     */
    public String fileName() {
        return fileName == null ? "" : fileName;
    }

    /**
     * Returns the media type.
     *
     * @return the media type, such as {@code application/pdf}
     */
    public String contentType() {
        return contentType;
    }

    /**
     * Returns the size.
     *
     * @return the number of bytes
     */
    public long length() {
        return length;
    }

    /**
     * Downloads the file.
     *
     * @return its bytes
     */
    public byte[] content() {
        return api.download("/api/files/attachments/" + id);
    }

    /** Returns the name, the type and the size. */
    @Override
    public String toString() {
        return "\"" + fileName() + "\" " + contentType + " " + length + " bytes";
    }
}
