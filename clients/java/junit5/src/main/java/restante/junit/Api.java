package restante.junit;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** Requests to the API of a service. */
final class Api {
    static final Gson GSON = new Gson();

    /** Time beyond the wait of a request after which the client gives up. */
    private static final Duration MARGIN = Duration.ofSeconds(30);

    final String url;
    final String apiKey;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Api(String url, String apiKey) {
        this.url = url.replaceAll("/+$", "");
        this.apiKey = apiKey;
    }

    JsonElement get(String path, Map<String, ?> query) {
        return parse(send("GET", path, query, null, Duration.ZERO));
    }

    JsonElement post(String path, Map<String, ?> query, Object body, Duration wait) {
        return parse(send("POST", path, query, body, wait));
    }

    String postForText(String path, Object body) {
        return text(send("POST", path, Map.of(), body, Duration.ZERO));
    }

    void delete(String path) {
        try {
            send("DELETE", path, Map.of(), null, Duration.ZERO);
        } catch (ResponseException error) {
            // The test, or retention, has deleted it.
            if (error.status() != 404) {
                throw error;
            }
        }
    }

    byte[] download(String path) {
        // A bundle may render a picture first.
        return send("GET", path, Map.of(), null, Duration.ofSeconds(90));
    }

    private byte[] send(String method, String path, Map<String, ?> query, Object body, Duration wait) {
        String call = method + " " + path;
        BodyPublisher content = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(GSON.toJson(body));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path + encoded(query)))
            .method(method, content)
            .timeout(wait.plus(MARGIN))
            .header("Authorization", "Bearer " + apiKey);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        try {
            HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
            if (response.statusCode() >= 400) {
                throw ResponseException.of(call, response.statusCode(), text(response.body()));
            }
            return response.body();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new RestanteException(call + ": the test was interrupted", new InterruptedIOException());
        } catch (IOException error) {
            throw new RestanteException(call + ": no response from " + url + ": " + error, error);
        }
    }

    private static String encoded(Map<String, ?> query) {
        String text = query.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue().toString(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
        return text.isEmpty() ? "" : "?" + text;
    }

    private static JsonElement parse(byte[] content) {
        return JsonParser.parseString(text(content));
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.UTF_8);
    }
}
